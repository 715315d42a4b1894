#!/bin/bash
# Lists which part of photographs libvips (8.14) keeps, scaled and cropped to 160x160 by attention: path, left, top.
# Leaves out those that are nearly square, and those of other folders that are not there.
set -euo pipefail
cd "$(dirname "$0")/../.."
side=160
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
find Samples/archive/images Samples/archives ../shared/images/nasa ../shared/corpora/libvips+libvips -name '*.jpg' -size +8k |
    grep -v 'rotation_[2-8]\|truncated\|xyb' | LC_ALL=C sort | while read -r file; do
    vips autorot "$file" "$work/upright.v"
    width=$(vipsheader -f width "$work/upright.v") height=$(vipsheader -f height "$work/upright.v")
    long=$((width > height ? width : height)) short=$((width < height ? width : height))
    [ $short -ge $side ] && [ $((long * 100)) -ge $((short * 110)) ] || continue
    vips thumbnail "$file" "$work/window.v" $side --height $side --crop attention
    printf '%s\t%d\t%d\n' "$file" $((-$(vipsheader -f xoffset "$work/window.v"))) $((-$(vipsheader -f yoffset "$work/window.v")))
done > Fixtures/focus/windows.tsv
