/// QOI, FITS, PNM and ICO.
extension ContainerWriter {
    // MARK: QOI

    mutating func qoi() {
        text("qoif")
        number(8, 4)
        number(8, 4)
        plain(oneOf([3, 4]), 1)
        number(0, 1)
        // A colour, a run of 62, the colour once more, the end.
        add([0xFE, 1, 2, 3])
        repeated([1]) { file, _ in file.add([0xFD]) }
        add([0xC0, 0, 0, 0, 0, 0, 0, 0, 1])
    }

    // MARK: FITS

    private mutating func card(_ name: String, _ value: (inout ContainerWriter) -> Void) {
        let start = bytes.count
        text(name + String(repeating: " ", count: max(8 - name.count, 0)) + "= ")
        value(&self)
        pad(to: 80, from: start, 0x20)
    }

    private mutating func pad(to length: Int, from start: Int, _ filler: UInt8) {
        let written = bytes.count - start
        add([UInt8](repeating: filler, count: (length - written % length) % length))
    }

    mutating func fits() {
        let hasExtension = oneOf([false, true])
        if hasExtension { fitsUnit("SIMPLE", "T", []) }
        let axes = oneOf([[8, 8], [8, 8, 1], [8, 8, 2], [8, 8, 3]])
        if hasExtension { fitsUnit("XTENSION", "'IMAGE   '", axes) } else { fitsUnit("SIMPLE", "T", axes) }
    }

    private mutating func fitsUnit(_ name: String, _ value: String, _ axes: [Int]) {
        let bits = oneOf([8, 16, 32, 64, -32, -64])
        let start = bytes.count
        card(name) { $0.text(value) }
        card("BITPIX") { $0.text("\(bits)") }
        card("NAXIS") { $0.digits(axes.count) }
        for (index, length) in axes.enumerated() { card("NAXIS\(index + 1)") { $0.digits(length) } }
        card("PCOUNT") { $0.digits(0) }
        card("GCOUNT") { $0.digits(1) }
        if oneOf([false, true]) { card("BLANK") { $0.digits(7) } }
        if oneOf([false, true]) { card("BSCALE") { $0.digits(2) } }
        repeated([0, 1]) { file, _ in file.card("OBJECT") { $0.text("'M 31'") } }
        text("END")
        pad(to: 2880, from: start, 0x20)
        zeros(axes.isEmpty ? 0 : axes.reduce(Int(bits.magnitude) / 8, *))
        pad(to: 2880, from: start, 0)
    }

    // MARK: PNM

    mutating func pnm() {
        let kind = oneOf([1, 2, 3, 4, 5, 6, 7])
        text("P\(kind)\n")
        let channels = kind == 7 ? oneOf([1, 2, 3, 4]) : kind == 3 || kind == 6 ? 3 : 1
        if kind == 7 {
            for (name, value) in [("WIDTH", 8), ("HEIGHT", 8), ("DEPTH", channels), ("MAXVAL", 255)] {
                text("\(name) ")
                digits(value)
                text("\n")
            }
            text("ENDHDR\n")
        } else {
            repeated([0, 1]) { file, _ in file.text("# a comment\n") }
            for value in kind == 1 || kind == 4 ? [8, 8] : [8, 8, 255] {
                digits(value)
                text("\n")
            }
        }
        repeated([8]) { file, _ in
            switch kind {
            case 1, 2, 3: file.text(String(repeating: "1 ", count: 8 * channels))
            case 4: file.zeros(1)
            default: file.zeros(8 * channels)
            }
        }
    }

    // MARK: ICO

    mutating func ico() {
        isBigEndian = false
        plain(0, 2)
        plain(1, 2)
        let isPNG = oneOf([false, true])
        list(2) { file, index in
            file.add([8, 8, 0, 0])
            file.number(1, 2)
            file.number(32, 2)
            file.number(100, 4)
            file.offset("image", 4)
        }
        mark("image")
        guard !isPNG else {
            isBigEndian = true
            return png()
        }
        let bits = oneOf([1, 4, 8, 24, 32])
        number(40, 4)
        number(8, 4)
        number(16, 4)
        plain(1, 2)
        plain(bits, 2)
        plain(0, 4)
        zeros(12)
        number(0, 4)
        zeros(4)
        if bits <= 8 { repeated([1 << bits], upTo: 257) { file, _ in file.number(0, 4) } }
        repeated([8]) { file, _ in file.zeros((8 * bits + 31) / 32 * 4) }
        zeros(32)
    }
}
