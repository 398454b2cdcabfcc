#!/bin/sh
# Checks that Python, g++ and make are there and new enough. Each lacking tool gets one line on
# stderr: what was found, what is required, how to get it; then the exit code is 1.
#   check_tools.sh            prints one line with what was found
#   check_tools.sh --python   prints only the path of the chosen Python

status=0
lacking() { # tool, found, required, remedy
    echo "$1: found $2, need $3; get it with: $4" >&2
    status=1
}

# Prints the interpreter itself (never a shim or another venv's), or fails and says what is wrong.
probe='
import sys
version = "%d.%d.%d" % sys.version_info[:3]
if not (3, 10) <= sys.version_info[:2] <= (3, 12):
    print(version)
    sys.exit(1)
try:
    import ensurepip, venv
except ImportError:
    print(version + " without venv or ensurepip")
    sys.exit(1)
print(getattr(sys, "_base_executable", sys.executable))
'
python= found=
for candidate in ${PYTHON:+"$PYTHON"} python3.11 python3.12 python3.10 python3; do
    command -v "$candidate" >/dev/null 2>&1 || continue
    if answer=$("$candidate" -c "$probe" 2>/dev/null); then
        python=$answer
        break
    fi
    found="${found:+$found, }$candidate (${answer:-does not run})"
done
[ -n "$python" ] || lacking python "${found:-none}" "3.10, 3.11 or 3.12 with venv and ensurepip" \
    "apt-get install python3 python3-venv, or name another one in PYTHON=/path/to/python"

gxx=
command -v g++ >/dev/null 2>&1 && gxx=$(g++ -dumpversion 2>/dev/null)
[ "${gxx%%.*}" -ge 9 ] 2>/dev/null || lacking g++ "${gxx:-none}" "9 or newer" "apt-get install g++"

make=
gnu_make=${MAKE:-make}
command -v "$gnu_make" >/dev/null 2>&1 && make=$("$gnu_make" --version 2>/dev/null)
case $make in
    "GNU Make "*) make=${make#GNU Make } make=${make%%[!0-9.]*} ;;
    ?*) make="one that is not GNU make" ;;
esac
[ "${make%%.*}" -ge 4 ] 2>/dev/null || lacking make "${make:-none}" "GNU make 4.0 or newer" "apt-get install make"

[ $status -eq 0 ] || exit 1
if [ "$1" = --python ]; then
    echo "$python"
else
    echo "tools: $python, g++ $gxx, make $make"
fi
