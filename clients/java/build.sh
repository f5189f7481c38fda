#!/usr/bin/env bash
# Builds build/untold-client.jar with nothing but a JDK (11 or newer), and tests it: ./build.sh [--test]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
out="${UNTOLD_JAVA_BUILD:-build}"
rm -rf "$out"
mkdir -p "$out/classes"
javac --release 11 -Xlint:all -Werror -d "$out/classes" src/untold/client/*.java
printf 'Main-Class: untold.client.Program\nAutomatic-Module-Name: untold.client\n' >"$out/manifest"
jar --create --file "$out/untold-client.jar" --manifest "$out/manifest" -C "$out/classes" .
if [ "${1:-}" = --test ]; then
    mkdir -p "$out/tests"
    javac --release 11 -Xlint:all -Werror -cp "$out/classes" -d "$out/tests" test/untold/client/*.java
    java -cp "$out/classes:$out/tests" untold.client.Vectors ../../tests/vectors
fi
