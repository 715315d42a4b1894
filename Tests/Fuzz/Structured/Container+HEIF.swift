/// HEIF and AVIF (ISO 14496-12, ISO 23008-12): an image and its EXIF.
extension ContainerWriter {
    mutating func heif(isAVIF: Bool) {
        box("ftyp") { box in
            box.text(isAVIF ? "avif" : "heic")
            box.zeros(4)
            box.repeated([1]) { box, _ in box.text(isAVIF ? "avifmif1" : "heicmif1") }
        }
        box("meta", version: 0) { meta in
            meta.box("hdlr", version: 0) { box in
                box.zeros(4)
                box.text("pict")
                box.zeros(13)
            }
            meta.box("pitm", version: 0) { $0.number(1, 2) }
            meta.locations(of: isAVIF ? Self.av1 : Self.hevc)
            let version = meta.oneOf([0, 1])
            meta.box("iinf", version: version) { box in
                box.list(version == 0 ? 2 : 4, [2]) { box, index in
                    box.item(index + 1, index > 0 ? "Exif" : isAVIF ? "av01" : "hvc1")
                }
            }
            meta.box("iref", version: 0) { box in
                let kind = box.isPlain ? "cdsc" : box.oneOf(["cdsc", "cdsc", "auxl", "dimg"])
                box.repeated([1]) { box, _ in
                    box.box(kind) { reference in
                        reference.number(2, 2)
                        reference.list(2, [1]) { list, _ in list.number(1, 2) }
                    }
                }
            }
            meta.box("iprp") { $0.properties(isAVIF: isAVIF) }
        }
        box("mdat") { box in
            box.mark("image")
            box.hexadecimal(isAVIF ? Self.av1 : Self.hevc)
            box.mark("exif")
            box.number(0, 4)
            box.exif()
        }
    }

    mutating func box(_ name: String, version: Int? = nil, _ content: (inout ContainerWriter) -> Void) {
        // A length of 1 announces one of 64 bits. Both count themselves.
        let isLong = oneOf(["meta", "mdat"].contains(name) ? [false, true] : [false])
        if isLong {
            plain(1, 4)
            text(name)
        }
        sized(isLong ? 8 : 4, plus: isLong ? 16 : 4) { box in
            if !isLong { box.text(name) }
            if let version { box.plain(version << 24, 4) }
            content(&box)
        }
    }

    private mutating func locations(of image: String) {
        let version = oneOf([0, 1, 2])
        let (offset, length, base) = (oneOf([4, 8]), oneOf([4, 8]), oneOf([0, 4, 8]))
        // libheif 1.15 and libavif 0.11 fail on any indices.
        let index = isPlain || version == 0 ? 0 : oneOf([0, 0, 4, 8])
        let id = version == 2 ? 4 : 2
        box("iloc", version: version) { box in
            box.plain(offset << 12 | length << 8 | base << 4 | index, 2)
            box.list(id, [2]) { box, item in
                box.number(item + 1, id)
                if version > 0 { box.number(0, 2) }
                box.number(0, 2)
                box.number(0, base)
                box.list(2, [1]) { box, _ in
                    box.number(0, index)
                    box.offset(item == 0 ? "image" : "exif", offset)
                    box.number(item == 0 ? image.utf8.count / 2 : 4 + Self.exifBytes, length)
                }
            }
        }
    }

    private mutating func item(_ id: Int, _ kind: String) {
        box("infe", version: 2) { box in
            box.number(id, 2)
            box.number(0, 2)
            box.text(kind)
            box.zeros(1)
        }
    }

    private mutating func properties(isAVIF: Bool) {
        let side = isAVIF ? 8 : 64
        let extras = ["irot", "imir", "colr", "clap"]
        let extra = oneOf(extras)
        box("ipco") { box in
            box.box("ispe", version: 0) { box in
                box.number(side, 4)
                box.number(side, 4)
            }
            box.box("pixi", version: 0) { box in box.list(1, [3]) { box, _ in box.number(8, 1) } }
            box.box(isAVIF ? "av1C" : "hvcC") { $0.hexadecimal(isAVIF ? "81000c00" : Self.hevcHeader) }
            box.repeated([1]) { box, _ in
                box.box(extra) { box in
                    switch extra {
                    case "colr":
                        box.text("prof")
                        box.repeated([32]) { box, _ in box.number(0, 4) }
                    // A clean aperture of half the sides: fractions of width, height and both offsets.
                    case "clap": for value in [side / 2, 1, side / 2, 1, 0, 1, 0, 1] { box.number(value, 4) }
                    default: box.number(1, 1)
                    }
                }
            }
        }
        box("ipma", version: 0) { box in
            box.list(4, [1]) { box, _ in
                box.number(1, 2)
                // The header of the codec, and what turns or crops, is essential.
                box.list(1, [4]) { box, index in
                    box.number(index + 1 | (index == 2 || index == 3 && extra != "colr" ? 0x80 : 0), 1)
                }
            }
        }
    }

    // What libaom and x265 make of one colour.
    private static let av1 = "12000a081808bf688086834232141ec7878559dfffffe2c0000090358dbb360fef80"
    private static let hevc = "000000212801af0412130ce0f8e9c2682f3fc5a95294f27ed0ab2be3499f77b11892a9ffa0"
    private static let hevcHeader =
        "0103700000009000000000001ef000fcfdf8f800000f03600001001840010c01ffff03700000030090000003000003001eba024061000100"
        + "2942010103700000030090000003000003001ea020810596eaae9ae6e021a0c08000000c80000003008462000100064401c173c189"
}
