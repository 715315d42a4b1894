#!/bin/sh
# Makes region/ again with libjpeg-turbo 2.1.5's tools: pictures wider than the blocks that a region needs beside it,
# in kinds of JPEG that ImageEncoder does not write. Their expected pixels are crops of the whole pictures.
set -eu
cd "$(dirname "$0")"
mkdir -p region
scene=$(mktemp)
trap 'rm -f "$scene"' EXIT
djpeg jpeg/large-420.jpg > "$scene"
make() {
  name=$1
  shift
  cjpeg -quality 70 "$@" "$scene" > "region/$name.jpg"
}
make 410 -sample 4x2
make 411 -sample 4x1
make 440 -sample 1x2
make grey-2x2 -grayscale -sample 2x2
make rgb -rgb
make arithmetic -arithmetic
make arithmetic-progressive -arithmetic -progressive
make progressive-410 -progressive -sample 4x2
make restart -restart 1
