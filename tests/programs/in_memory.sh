#!/bin/sh
# Runs a command with its temporary files in memory, where there is room for them: tests make so many files and
# databases that disks take a fifth of their time. Nothing is left there when it ends.

room=4000000 # kB of /dev/shm and of free memory beyond it

available() {
    [ "$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -ge $room ] 2>/dev/null &&
        [ "$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)" -ge $((2 * room)) ] 2>/dev/null
}

# Some systems run no program from there.
runs_programs() {
    printf '#!/bin/sh\n' >"$1/program" && chmod 755 "$1/program" && "$1/program" 2>/dev/null && rm "$1/program"
}

# A run that was killed could not remove its own. Those of others may be in use: no run takes ten hours.
find /dev/shm -maxdepth 1 -name 'tests-*' -uid "$(id -u)" -mmin +600 -exec rm -rf {} + 2>/dev/null

folder=/dev/shm/tests-$$
if available && mkdir "$folder" 2>/dev/null; then
    trap 'rm -rf "$folder"' EXIT
    trap 'exit 130' INT TERM
    if runs_programs "$folder"; then
        chmod 711 "$folder" # a server of Postgres is another user
        export TMPDIR="$folder"
    fi
fi
"$@"
