#!/bin/sh
# Makes what ImageMagick (6.9.11, 16 bits a channel) makes of some of the pictures with Lanczos in linear light: lanczos/*.png.
set -eu
cd "$(dirname "$0")"
mkdir -p lanczos
while read -r file size; do
    name=$(basename "$file")
    convert "$file" -colorspace RGB -filter Lanczos -resize "$size!" -colorspace sRGB -depth 8 -strip \
        -define png:exclude-chunks=date,time "PNG32:lanczos/${name%.*}-$size.png"
done <<EOF
png/rgb-8.png 10x8
png/rgb-8.png 66x20
png/rgba-8.png 12x9
png/grey-8.png 50x41
png/grey-alpha-8.png 17x20
jpeg/large-420.jpg 40x30
EOF
