internal import SpyglassPixels

/// Encodes images for kitty's graphics protocol (graphics-protocol.rst): PNG in base64, in the stream itself.
///
///     let kitty = KittyGraphics(codecs: codecs)
///     bytes += try kitty.transmission(of: pixels, id: 7)
///     bytes += KittyCommands().placement(of: 7)
///
/// Sequences request no reply and do not move the cursor. PNG is compressed: `o=z` saves nothing.
struct KittyGraphics {
    var codecs: PixelCodecs
    /// Whether sequences are wrapped for tmux, which passes them through.
    var isInsideTmux = false
    /// Whether a transmission only names an object of shared memory (`SharedPixels`), which is made when it is sent.
    var sharesMemory = false

    /// The maximum length of a sequence's base64, in characters.
    static let maxChunk = 4096
    /// The maximum side of an image in pixels that kitty and ghostty accept (kitty's `graphics.c`).
    static let maxSide = 10_000

    /// Transmits an image under an id, without drawing it.
    ///
    /// It replaces the image of that id and removes its placements. With a box of cells, placeholders draw it: scaled
    /// into the box without distortion, at most as many as `KittyPlaceholder` can draw. Else `KittyCommands.placement`
    /// draws it.
    func transmission(of image: PixelBuffer, id: UInt32, placeholders cells: CellSize? = nil) throws -> [UInt8] {
        guard let cells else { return try encoded(image, "a=t,i=\(id)") }
        return try encoded(image, "a=T,U=1,i=\(id),c=\(cells.columns),r=\(cells.rows)")
    }

    /// Transmits and draws an image at the cursor, stretched to a box of cells, or without scaling.
    func drawing(of image: PixelBuffer, stretchedTo cells: CellSize? = nil) throws -> [UInt8] {
        try encoded(image, "a=T,C=1\(Self.keys(cells))")
    }

    /// Returns the keys of a box of cells.
    static func keys(_ cells: CellSize?) -> String { cells.map { ",c=\($0.columns),r=\($0.rows)" } ?? "" }

    /// Transmits one more frame of an image; the numbers of frames count from 1, the image itself.
    func transmission(of frame: PixelBuffer, number: Int, lasting duration: Duration, id: UInt32) throws -> [UInt8] {
        try encoded(frame, "a=f,i=\(id),r=\(number),z=\(KittyCommands.gap(duration))", continuing: "a=f,")
    }

    private func encoded(_ image: PixelBuffer, _ action: String, continuing next: String = "") throws -> [UInt8] {
        let raw = "\(action),f=32,s=\(image.size.width),v=\(image.size.height)"
        if sharesMemory { return Self.naming([UInt8](repeating: 0, count: SharedPixels.nameLength), raw) }
        return Self.chunks(try codecs.png(image), "\(action),f=100", continuing: next, isInsideTmux: isInsideTmux)
    }

    /// A transmission of the shared memory of this name.
    private static func naming(_ name: [UInt8], _ keys: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(.kittyGraphics, "\(keys)\(sharing)", base64: name.span, isInsideTmux: false)
        return bytes
    }

    private static let sharing = ",t=s,q=2;"

    /// Returns a transmission that names an object with these pixels; they are in it if none can be made.
    static func sharing(
        _ pixels: PixelBuffer, _ memory: SharedPixels, as template: ArraySlice<UInt8>
    ) -> [UInt8] {
        // Between `ESC _ G` and the name in base64.
        let rest = sharing.utf8.count + SharedPixels.nameLength / 3 * 4 + 2
        let keys = String(decoding: template.dropFirst(3).dropLast(rest), as: UTF8.self)
        if let name = memory.publish(pixels.bytes) { return naming(name, keys) }
        return chunks(pixels.bytes, keys, continuing: keys.hasPrefix("a=f,") ? "a=f," : "", isInsideTmux: false)
    }

    private static func chunks(
        _ data: [UInt8], _ keys: String, continuing next: String, isInsideTmux: Bool
    ) -> [UInt8] {
        let step = maxChunk / 4 * 3
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count / 3 * 4 + (data.count / step + 1) * 32 + 64)
        for start in stride(from: 0, to: data.count, by: step) {
            let end = min(start + step, data.count)
            // Later chunks have m and q only, and those of a frame its action.
            let keys = "\(start == 0 ? "\(keys)," : next)q=2,m=\(end < data.count ? 1 : 0);"
            bytes.append(.kittyGraphics, keys, base64: data.span.extracting(start..<end), isInsideTmux: isInsideTmux)
        }
        return bytes
    }
}

/// Kitty's commands for transmitted images (graphics-protocol.rst).
///
///     bytes += KittyCommands().placement(of: 7)
///
/// They request no reply and do not move the cursor. Never send one between the chunks of an image.
struct KittyCommands {
    /// Whether sequences are wrapped for tmux, which passes them through.
    var isInsideTmux = false

    /// Draws an image, or a part of it, at the cursor, stretched to a box of cells, or without scaling.
    ///
    /// Each placement of an image has a number, from 1; an existing placement is moved.
    func placement(
        of id: UInt32, _ placement: UInt32 = 1, part: PixelArea? = nil, stretchedTo cells: CellSize? = nil
    ) -> [UInt8] {
        let part = part.map { ",x=\($0.x),y=\($0.y),w=\($0.size.width),h=\($0.size.height)" } ?? ""
        return command("a=p,i=\(id),p=\(placement),C=1\(part)\(KittyGraphics.keys(cells)),q=2")
    }

    /// Removes one of an image's placements from the screen; the terminal keeps the image.
    func removal(of id: UInt32, _ placement: UInt32) -> [UInt8] { command("a=d,d=i,i=\(id),p=\(placement),q=2") }

    /// Removes all placements from the screen.
    var removalOfAll: [UInt8] { command("a=d,d=a,q=2") }

    /// Replaces an image by one black pixel, without placements.
    ///
    /// A deletion (`d=I`) also frees every other image that is not on the screen in kitty 0.26 (`filter_refs` of graphics.c).
    func clearing(of id: UInt32) -> [UInt8] { command("a=t,i=\(id),f=24,s=1,v=1,q=2;AAAA") }

    /// Deletes an image and its placements, and perhaps all that are not on the screen.
    func deletion(of id: UInt32) -> [UInt8] { command("a=d,d=I,i=\(id),q=2") }

    /// Plays an image's frames, `nil` times for ever; the first frame's duration is unknown until now.
    func play(_ id: UInt32, firstFrameLasting duration: Duration, times: Int?) -> [UInt8] {
        // One loop more than wanted: 1 is without end.
        command("a=a,i=\(id),r=1,z=\(Self.gap(duration)),s=3,v=\(times.map { min($0, 1_000_000) + 1 } ?? 1),q=2")
    }

    /// Plays an animation that has stalled; one that plays goes on.
    func resume(_ id: UInt32) -> [UInt8] { command("a=a,i=\(id),s=3,q=2") }

    /// The milliseconds until the next frame; 0 would be the default.
    static func gap(_ duration: Duration) -> Int { max(Int(min(duration / .milliseconds(1), 1e6)), 1) }

    /// Ends an incomplete transmission: the terminal drops the image.
    var end: [UInt8] { command("q=2,m=0;") }
    /// Ends an incomplete transmission of a frame: the terminal drops the frame.
    var endOfFrame: [UInt8] { command("a=f,q=2,m=0;") }

    private func command(_ keys: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(.kittyGraphics, keys, isInsideTmux: isInsideTmux)
        return bytes
    }
}

/// The character that shows one cell of an image in kitty: U+10EEEE with two marks, its row and its column.
///
/// The foreground's 24 bits are the image's id (graphics-protocol.rst, "Unicode placeholders").
enum KittyPlaceholder {
    static let scalar: UInt32 = 0x10EEEE
    /// Returns whether there are marks for so many rows and columns.
    static func canDraw(_ cells: CellSize) -> Bool { max(cells.columns, cells.rows) <= marks.count }
    /// The marks that count rows and columns (kitty's rowcolumn-diacritics.txt).
    static let marks: [UInt32] = ranges.flatMap { Array($0) }

    private static let ranges: [ClosedRange<UInt32>] = [
        0x0305...0x0305, 0x030D...0x030E, 0x0310...0x0310, 0x0312...0x0312, 0x033D...0x033F, 0x0346...0x0346,
        0x034A...0x034C, 0x0350...0x0352, 0x0357...0x0357, 0x035B...0x035B, 0x0363...0x036F, 0x0483...0x0487,
        0x0592...0x0595, 0x0597...0x0599, 0x059C...0x05A1, 0x05A8...0x05A9, 0x05AB...0x05AC, 0x05AF...0x05AF,
        0x05C4...0x05C4, 0x0610...0x0617, 0x0657...0x065B, 0x065D...0x065E, 0x06D6...0x06DC, 0x06DF...0x06E2,
        0x06E4...0x06E4, 0x06E7...0x06E8, 0x06EB...0x06EC, 0x0730...0x0730, 0x0732...0x0733, 0x0735...0x0736,
        0x073A...0x073A, 0x073D...0x073D, 0x073F...0x0741, 0x0743...0x0743, 0x0745...0x0745, 0x0747...0x0747,
        0x0749...0x074A, 0x07EB...0x07F1, 0x07F3...0x07F3, 0x0816...0x0819, 0x081B...0x0823, 0x0825...0x0827,
        0x0829...0x082D, 0x0951...0x0951, 0x0953...0x0954, 0x0F82...0x0F83, 0x0F86...0x0F87, 0x135D...0x135F,
        0x17DD...0x17DD, 0x193A...0x193A, 0x1A17...0x1A17, 0x1A75...0x1A7C, 0x1B6B...0x1B6B, 0x1B6D...0x1B73,
        0x1CD0...0x1CD2, 0x1CDA...0x1CDB, 0x1CE0...0x1CE0, 0x1DC0...0x1DC1, 0x1DC3...0x1DC9, 0x1DCB...0x1DCC,
        0x1DD1...0x1DE6, 0x1DFE...0x1DFE, 0x20D0...0x20D1, 0x20D4...0x20D7, 0x20DB...0x20DC, 0x20E1...0x20E1,
        0x20E7...0x20E7, 0x20E9...0x20E9, 0x20F0...0x20F0, 0x2CEF...0x2CF1, 0x2DE0...0x2DFF, 0xA66F...0xA66F,
        0xA67C...0xA67D, 0xA6F0...0xA6F1, 0xA8E0...0xA8F1, 0xAAB0...0xAAB0, 0xAAB2...0xAAB3, 0xAAB7...0xAAB8,
        0xAABE...0xAABF, 0xAAC1...0xAAC1, 0xFE20...0xFE26, 0x10A0F...0x10A0F, 0x10A38...0x10A38, 0x1D185...0x1D189,
        0x1D1AA...0x1D1AD, 0x1D242...0x1D244,
    ]
}

extension [UInt8] {
    /// Appends one cell of an image; it needs no marks if it continues the one at its left in the same colours.
    mutating func append(placeholderAtRow row: Int, column: Int, continues: Bool) {
        append(scalar: KittyPlaceholder.scalar)
        guard !continues else { return }
        append(scalar: KittyPlaceholder.marks[row])
        append(scalar: KittyPlaceholder.marks[column])
    }
}

/// The sequences of pixel protocols.
enum GraphicsSequence {
    /// APC G ... ST.
    case kittyGraphics
    /// OSC 1337 ; ... BEL.
    case iTerm
}

extension [UInt8] {
    /// Appends a sequence: keys, then data in base64.
    ///
    /// Inside tmux it is wrapped in `ESC P tmux;` with each ESC doubled. tmux passes it through if `allow-passthrough` is
    /// on (tmux(1)).
    mutating func append(
        _ kind: GraphicsSequence, _ keys: String, base64 data: Span<UInt8> = Span(), isInsideTmux: Bool
    ) {
        if isInsideTmux { append("\u{1B}Ptmux;\u{1B}" as StaticString) }
        append(kind == .iTerm ? "\u{1B}]1337;" : "\u{1B}_G" as StaticString)
        append(contentsOf: keys.utf8)
        append(base64: data)
        if kind == .iTerm {
            append(ControlByte.bell)
        } else {
            append(isInsideTmux ? "\u{1B}\u{1B}\\" : "\u{1B}\\" as StaticString)
        }
        if isInsideTmux { append("\u{1B}\\" as StaticString) }
    }

    /// Appends bytes as base64 with padding (RFC 4648 section 4).
    mutating func append(base64 bytes: Span<UInt8>) {
        let digits = base64Digits
        for at in stride(from: 0, to: bytes.count, by: 3) {
            let known = Swift.min(bytes.count - at, 3)
            let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < known ? Int(bytes[at + $1]) : 0) }
            for digit in 0..<4 {
                append(digit <= known ? digits[bits >> (18 - 6 * digit) & 0x3F] : UInt8(ascii: "="))
            }
        }
    }
}

private let base64Digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
