/// RAW files of cameras: directories of a TIFF, and the boxes of a CR3, with JPEG files.
extension ContainerWriter {
    mutating func raw() {
        isBigEndian = oneOf([false, true])
        let count = Self.baselineBytes
        tiffHeader(first: "first")
        let first: [Field] = [
            .numbers(254, 4, [1]), .numbers(256, 3, [8]), .numbers(257, 3, [8]), .numbers(259, 3, [oneOf([6, 7])]),
            .offsets(273, ["large"]), .numbers(274, 3, [1]), .numbers(279, 4, [count]),
            .offsets(330, oneOf([["sub"], ["sub", "first"]])), .offsets(34665, ["camera"]),
            .numbers(50706, 1, [1, 4, 0, 0]),
        ]
        directory("first", first, next: oneOf(["", "sub"]))
        directory(
            "sub", [.offsets(0x0201, ["small"]), .numbers(0x0202, 4, [count])], next: oneOf(["", "sub", "first"]))
        directory("camera", [.numbers(0x829A, 5, [1, 60]), .offsets(0x927C, ["notes", "notes"])])
        mark("notes")
        block { notes in
            notes.text(notes.isBigEndian ? "OLYMPUS\0MM\u{3}\0" : "OLYMPUS\0II\u{3}\0")
            notes.directory("notes 0", [.offsets(0x2020, ["settings"])])
            notes.directory("settings", [.offsets(0x0101, ["small"]), .numbers(0x0102, 4, [count])])
        }
        for label in ["large", "small"] {
            mark(label)
            add(Self.baselineFile)
        }
    }

    mutating func cr3() {
        box("ftyp") { $0.text("crx \0\0\0\u{1}crx isom") }
        box("moov") { moov in
            moov.box("uuid") { header in
                header.hexadecimal("85c0b687820f11e08111f4ce462b6a48")
                header.box("CMT1") { box in
                    box.block { block in
                        block.tiffHeader(first: "main")
                        block.directory("main", [.text(0x0110, "a camera"), .numbers(0x0112, 3, [1])])
                    }
                }
                header.box("CMT2") { box in
                    box.block { block in
                        block.tiffHeader(first: "exposure")
                        block.directory("exposure", [.numbers(0x829A, 5, [1, 60])])
                    }
                }
                header.preview("THMB", sizeAt: 8)
            }
            moov.repeated([1]) { moov, _ in
                moov.box("trak") { $0.box("mdia") { $0.box("minf") { $0.box("stbl") { $0.sample() } } } }
            }
        }
        box("uuid") { box in
            box.hexadecimal("eaf42b5e1c984b88b9fbb7dc406e4d16")
            box.zeros(8)
            box.preview("PRVW", sizeAt: 12)
        }
        box("mdat") { box in
            box.mark("sample")
            box.add(Self.baselineFile)
        }
    }

    private mutating func sample() {
        box("stsz") { box in
            box.zeros(4)
            for value in [0, 1, Self.baselineBytes] { box.number(value, 4) }
        }
        box("co64") { box in
            box.zeros(4)
            box.number(1, 4)
            box.offset("sample", 8)
        }
    }

    private mutating func preview(_ name: String, sizeAt offset: Int) {
        box(name) { box in
            box.zeros(offset)
            box.number(Self.baselineBytes, 4)
            box.zeros(12 - offset)
            box.add(Self.baselineFile)
        }
    }
}
