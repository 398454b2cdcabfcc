#!/bin/sh
# Whether the Vitis that will be run is a release that this folder fits: check_release.sh TOOL OLDEST NEWEST
#
# The release is a part of the installation's path, at its end (Vitis_HLS/2022.2) or before it (2025.1/Vitis): looked for
# in what settings64.sh sets, then in the path of the tool itself.
tool=$1 oldest=$2 newest=$3
for place in "$XILINX_HLS" "$XILINX_VITIS" "$(command -v "$tool")"; do
    release=$(printf '%s\n' "$place" | grep -oE '(^|/)[0-9]{4}\.[0-9]+' | tail -n 1 | tr -d /)
    [ -n "$release" ] && break
done
if [ -z "$release" ]; then
    echo "no release such as $newest in XILINX_HLS, XILINX_VITIS or the path of $tool: source the settings64.sh of Vitis" \
        "($oldest to $newest)" >&2
    exit 2
fi
first=$(printf '%s\n' "$oldest" "$release" | sort -V | head -n 1)
last=$(printf '%s\n' "$newest" "$release" | sort -V | tail -n 1)
if [ "$first" != "$oldest" ] || [ "$last" != "$newest" ]; then
    echo "found Vitis $release; this folder fits $oldest to $newest" >&2
    exit 2
fi
