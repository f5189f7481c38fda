# Sourced by the scripts beside lib/. Goes to the project's root and offers `prepare docs|runtime|test`, which makes .venv
# with pinned versions and sets $python. A stamp file makes the second call instant.

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root="$(pwd -P)"
python="$root/.venv/bin/python"

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

find_python() {
    local candidate
    for candidate in ${PYTHON:-python3 python python3.14 python3.13 python3.12 python3.11}; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    fail "No Python 3.11 or newer found." "Install one, or name it: PYTHON=/path/to/python3.12 ${0##*/}"
}

pip_install() {
    "$python" -m pip install --quiet --quiet --disable-pip-version-check "$@"
}

# What the stamp of a set of requirements must say: the place, the Python and the contents of everything installed from.
wanted() {
    printf '%s\n' "$root"
    "$python" --version
    cat requirements/*.lock pyproject.toml | cksum
}

stamped() {
    [ -x "$python" ] && [ -f ".venv/.installed-$1" ] && [ "$(cat ".venv/.installed-$1")" = "$(wanted)" ]
}

prepare() {
    local set="$1" base
    if stamped "$set" || stamped test; then  # test contains the others
        return
    fi
    if ! "$python" -m pip --version >/dev/null 2>&1; then
        base="$(find_python)"
        printf 'Making .venv and installing pinned versions, once.\n' >&2
        rm -rf .venv
        "$base" -m venv .venv || { rm -rf .venv; fail "Could not make .venv with $base; its message is above."; }
    fi
    pip_install --require-hashes -r requirements/build.lock
    pip_install --require-hashes -r "requirements/$set.lock"
    pip_install --no-deps --no-build-isolation --editable .
    wanted >".venv/.installed-$set"
}

export OPENBLAS_NUM_THREADS=1  # two threads of a busy machine wait for each other in small products
