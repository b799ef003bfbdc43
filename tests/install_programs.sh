#!/bin/sh
# Installs the programs that some tests run, where that takes no question: for root, on Debian. Elsewhere, and where
# that fails, it says what is missing, and those tests are skipped. It always succeeds.

missing() {
    command -v redis-server >/dev/null || printf ' redis-server'
    command -v rg >/dev/null || printf ' ripgrep'
}

apt() {
    DEBIAN_FRONTEND=noninteractive timeout 90 apt-get -q -y -o DPkg::Lock::Timeout=30 "$@" </dev/null >"$log" 2>&1
}

install() {
    # shellcheck disable=SC2046  # each package is a word
    apt install --no-install-recommends $(missing)
}

if [ -n "$(missing)" ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    log=$(mktemp)
    echo "Installing$(missing)"
    install || { apt update && install; } || echo "apt-get could not: $(tail -n 1 "$log")"
    rm "$log"
fi
if [ -n "$(missing)" ]; then
    echo "Some tests will be skipped, because programs are missing: apt-get install$(missing)"
fi
