# Sourced by scripts/test. `want COMMAND PACKAGE WHAT`: finds a program that some tests drive for real, or installs the Debian
# package that has it when it may (root, apt-get), and otherwise says loudly which tests will be skipped. With CI=true
# a skipped test is a failure.

apt_updated=

want() {
    local command="$1" package="$2" what="$3"
    if command -v "$command" >/dev/null 2>&1; then
        return
    fi
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        printf 'Installing %s for %s, once.\n' "$package" "$what" >&2
        if [ -z "$apt_updated" ]; then
            apt-get update -qq >/dev/null && apt_updated=yes
        fi
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null || true
    fi
    if ! command -v "$command" >/dev/null 2>&1; then
        printf '\n*** %s is not installed: %s will be SKIPPED. On Debian: apt-get install %s\n\n' "$command" "$what" "$package" >&2
    fi
}

# PostgreSQL's server programs are off the path on Debian; a test runs them as another user than root, in a scratch folder.
want_postgres() {
    local places
    places="$(printf ':/usr/lib/postgresql/%s/bin' 13 14 15 16 17 18 19)"
    PATH="$PATH$places" want initdb postgresql "$1"
}
