#!/bin/sh
# ranger calls it with the file, and the columns and rows of the preview. Copy it to ~/.config/ranger/scope.sh, make it executable.
# Exit 2: ranger prints the file itself; 4: the output is for one height.
case $(printf '%s' "$1" | tr '[:upper:]' '[:lower:]') in
  *.jpg | *.jpeg | *.png | *.gif | *.bmp | *.webp | *.avif | *.heic | *.tif | *.tiff | \
  *.jxl | *.fits | *.fit | *.ico | *.qoi | *.pnm | *.pbm | *.pgm | *.ppm | *.pam | \
  *.cr2 | *.cr3 | *.nef | *.arw | *.dng | *.orf | *.rw2 | *.raf | *.pef | *.srw)
    # ranger 1.9.3 reads 256 colours, and ends with an error where $TERM has fewer.
    colors=none
    [ "$(tput colors)" -lt 256 ] || colors=256
    spyglass show --color "$colors" --cells "$2x$3" -- "$1" 2>&1
    exit 4 ;;
  *) exit 2 ;;
esac
