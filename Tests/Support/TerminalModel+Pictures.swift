extension TerminalModel {
    /// A cell of a picture: what it shows of what.
    package struct Part: Hashable, Sendable {
        package let name: String
        package let row: Int
        package let column: Int

        package init(name: String, row: Int, column: Int) {
            self.name = name
            self.row = row
            self.column = column
        }
    }

    /// The pictures of a terminal, as kitty keeps them: images under ids, and placements over the text.
    ///
    /// Data is a text that tells a name and its own length (`ModelPicture`), so that a lost part is a fault.
    package struct Pictures: Sendable {
        struct Image {
            let name: String
            let columns: Int
            let rows: Int
            /// The pixels of one of its cells.
            let cell: (width: Double, height: Double)
            /// Whether it has fewer pixels than its cells, so that the terminal must enlarge it.
            let isScaled: Bool
            let isVirtual: Bool
            var memory: Int
            var frames = 1
            var isPlaying = false
        }

        struct Placed {
            let id: Int
            let number: Int
            let column: Int
            var row: Int
            let columns: Int
            let rows: Int
            /// The first column and row of the image that it shows.
            let source: (column: Int, row: Int)
        }

        var images: [Int: Image] = [:]
        var placed: [Placed] = []
        /// An image or a frame of which parts are due.
        var loading: (keys: [String: String], data: String)?
        /// Removes an object of shared memory and returns its bytes, if the terminal is on this machine.
        package var takeShared: (@Sendable (_ name: String) -> [UInt8]?)?
        /// The maximum memory of all images; more is a fault.
        package var quota = Int.max
        /// How often an image was transmitted, by name.
        package internal(set) var transmissions: [String: Int] = [:]
        /// The greatest memory of all images so far.
        package internal(set) var peak = 0

        /// The number of images that the terminal keeps.
        package var count: Int { images.count }
        package var memory: Int { images.values.reduce(0) { $0 + $1.memory } }

        /// ED: removes placements and their images, but not those of placeholders.
        mutating func clear() {
            placed = []
            images = images.filter { $0.value.isVirtual }
        }
    }

    /// Pixels of a cell.
    package static let cell = (width: 10, height: 20)

    /// What a cell shows of a picture: by a placement, a placeholder or an inline picture.
    package func part(column: Int, row: Int) -> Part? {
        if let placed = pictures.placed.last(where: { placed in
            (placed.row..<placed.row + placed.rows).contains(row)
                && (placed.column..<placed.column + placed.columns).contains(column)
        }) {
            return Part(
                name: pictures.images[placed.id]?.name ?? "?", row: row - placed.row + placed.source.row,
                column: column - placed.column + placed.source.column)
        }
        return placeholder(column: column, row: row) ?? cells[row * columns + column].part
    }

    /// The part that a placeholder names, with its marks or as the successor of the one at its left.
    private func placeholder(column: Int, row: Int) -> Part? {
        let cell = cells[row * columns + column]
        let scalars = Array(cell.text.unicodeScalars)
        guard scalars.first == "\u{10EEEE}", case .rgb(let red, let green, let blue) = cell.look.foreground else {
            return nil
        }
        let id = Int(red) << 16 | Int(green) << 8 | Int(blue)
        guard let image = pictures.images[id], image.isVirtual else { return Part(name: "?", row: 0, column: 0) }
        if scalars.count == 3, let row = Self.marks.firstIndex(of: scalars[1]),
            let at = Self.marks.firstIndex(of: scalars[2])
        {
            return Part(name: image.name, row: row, column: at)
        }
        let isBare = scalars.count == 1 && column > 0 && cells[row * columns + column - 1].look == cell.look
        guard isBare, let left = placeholder(column: column - 1, row: row) else {
            return Part(name: "?", row: 0, column: 0)
        }
        return Part(name: left.name, row: left.row, column: left.column + 1)
    }

    /// The first of kitty's rowcolumn-diacritics.txt: more than a model's picture has rows and columns.
    private static let marks: [Unicode.Scalar] =
        ([
            0x305, 0x30D, 0x30E, 0x310, 0x312, 0x33D, 0x33E, 0x33F, 0x346, 0x34A, 0x34B, 0x34C, 0x350, 0x351, 0x352,
            0x357,
        ]
        + [0x35B] + Array(0x363...0x36F) + Array(0x483...0x487)).compactMap { Unicode.Scalar($0 as Int) }

    mutating func perform(picture body: ArraySlice<UInt8>, isKitty: Bool) {
        let text = String(decoding: body, as: UTF8.self)
        if isKitty { performKitty(text.dropFirst()) } else { drawInline(text) }
    }

    private mutating func performKitty(_ text: Substring) {
        let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        var keys: [String: String] = [:]
        for pair in (parts.first ?? "").split(separator: ",") {
            let both = pair.split(separator: "=")
            keys[String(both[0])] = both.count == 2 ? String(both[1]) : ""
        }
        let data = parts.count == 2 ? String(parts[1]) : ""
        if keys["q"] != "2" { fault("a command of kitty that asks for an answer: \(text.prefix(80))") }
        if data.utf8.count > 4096 { fault("\(data.utf8.count) characters of data") }
        if let (first, before) = pictures.loading {
            // Only the chunks of a frame repeat their action.
            guard Set(keys.keys).isSubset(of: ["a", "q", "m"]), keys["a"] == (first["a"] == "f" ? "f" : nil) else {
                return fault("a command within a transmission: \(text)")
            }
            pictures.loading = keys["m"] == "1" ? (first, before + data) : nil
            // An end without data closes an incomplete transmission.
            if keys["m"] == "0", !data.isEmpty { store(first, before + data) }
            return
        }
        switch keys["a"] {
        case "f" where keys["m"] == "0" && data.isEmpty: break
        case "t", "T", "f": if keys["m"] == "1" { pictures.loading = (keys, data) } else { store(keys, data) }
        case "a": play(keys)
        case "p": place(keys)
        case "d": delete(keys)
        case nil where keys["m"] == "0" && data.isEmpty: break
        default: fault("kitty: \(text.prefix(80))")
        }
    }

    private mutating func store(_ keys: [String: String], _ data: String) {
        // A single black pixel replaces an image that is no longer needed.
        if keys["a"] == "t", keys["s"] == "1", keys["v"] == "1", data == "AAAA", let id = keys["i"].flatMap({ Int($0) })
        {
            pictures.placed.removeAll { $0.id == id }
            pictures.images[id] = nil
            return
        }
        guard let id = keys["i"].flatMap({ Int($0) }),
            let picture = keys["t"] == "s" ? shared(keys, data) : ModelPicture(data: data, isPNG: keys["f"] == "100")
        else {
            return fault("an image that is broken: \(keys)")
        }
        if keys["a"] == "f" { return add(frame: picture, keys, to: id) }
        let width = keys["s"].flatMap { Int($0) } ?? picture.pngSize?.width ?? 0
        let height = keys["v"].flatMap { Int($0) } ?? picture.pngSize?.height ?? 0
        let isVirtual = keys["U"] == "1"
        pictures.placed.removeAll { $0.id == id }
        let columns = picture.cells?.columns ?? (width + Self.cell.width - 1) / Self.cell.width
        let rows = picture.cells?.rows ?? (height + Self.cell.height - 1) / Self.cell.height
        let cell = (width: Double(Self.cell.width), height: Double(Self.cell.height))
        pictures.images[id] = Pictures.Image(
            name: picture.name, columns: columns, rows: rows,
            cell: picture.cells == nil ? cell : (Double(width) / Double(columns), Double(height) / Double(rows)),
            isScaled: picture.cells != nil, isVirtual: isVirtual, memory: width * height * 4)
        count(picture)
    }

    /// The picture of an object of shared memory, whose size must be that of its pixels.
    private func shared(_ keys: [String: String], _ data: String) -> ModelPicture? {
        let sides = ["s", "v"].map { keys[$0].flatMap { Int($0) } ?? 0 }
        guard keys["f"] == "32", let name = Base64.decoded(data).map({ String(decoding: $0, as: UTF8.self) }),
            let bytes = pictures.takeShared?(name), bytes.count == sides[0] * sides[1] * 4
        else { return nil }
        return ModelPicture(pixels: bytes)
    }

    /// Adds or replaces a frame, as kitty does: frames count from 1, and none may be left out.
    private mutating func add(frame: ModelPicture, _ keys: [String: String], to id: Int) {
        guard let image = pictures.images[id], frame.name == image.name,
            let number = keys["r"].flatMap({ Int($0) }), (2...image.frames + 1).contains(number),
            keys["z"].flatMap({ Int($0) }) ?? 0 > 0
        else { return fault("a frame of nothing: \(keys)") }
        if number > image.frames {
            pictures.images[id]?.memory += image.memory / image.frames
            pictures.images[id]?.frames = number
        }
        pictures.peak = max(pictures.peak, pictures.memory)
        if pictures.memory > pictures.quota { fault("\(pictures.memory) bytes of images") }
    }

    private mutating func play(_ keys: [String: String]) {
        guard let id = keys["i"].flatMap({ Int($0) }), let image = pictures.images[id], image.frames > 1,
            keys["s"] == "3",
            image.isPlaying || keys["v"].flatMap({ Int($0) }) ?? 0 > 0 && keys["r"] == "1" && keys["z"] != nil
        else { return fault("an animation of nothing: \(keys)") }
        pictures.images[id]?.isPlaying = true
    }

    private mutating func count(_ picture: ModelPicture) {
        pictures.transmissions[picture.name, default: 0] += 1
        pictures.peak = max(pictures.peak, pictures.memory)
        if pictures.memory > pictures.quota { fault("\(pictures.memory) bytes of images") }
    }

    private mutating func place(_ keys: [String: String]) {
        if !isInBlock { fault("a placement outside a synchronized block") }
        guard let id = keys["i"].flatMap({ Int($0) }), let image = pictures.images[id], !image.isVirtual,
            keys["C"] == "1", image.frames == 1 || image.isPlaying
        else { return fault("a placement of nothing: \(keys)") }
        if image.isScaled, keys["c"] == nil || keys["r"] == nil { fault("an image that is too small: \(keys)") }
        let number = keys["p"].flatMap { Int($0) } ?? 0
        pictures.placed.removeAll { $0.id == id && $0.number == number }
        // Without a rectangle of the source, all of it (graphics-protocol.rst).
        func cells(_ key: String, _ side: Double) -> Int? {
            keys[key].flatMap { Double($0) }.map { Int(($0 / side).rounded(image.isScaled ? .toNearestOrEven : .up)) }
        }
        let source = (column: cells("x", image.cell.width) ?? 0, row: cells("y", image.cell.height) ?? 0)
        let columns = cells("w", image.cell.width) ?? image.columns
        let rows = cells("h", image.cell.height) ?? image.rows
        // The cells of a PNG of fewer pixels are unknown.
        let isKnown = image.isScaled || keys["c"] == nil
        if isKnown, source.column + columns > image.columns || source.row + rows > image.rows {
            fault("a part beyond its image")
        }
        let placed = Pictures.Placed(
            id: id, number: number, column: cursor.column, row: cursor.row,
            columns: keys["c"].flatMap { Int($0) } ?? columns, rows: keys["r"].flatMap { Int($0) } ?? rows,
            source: source)
        if placed.column + placed.columns > self.columns || placed.row + placed.rows > self.rows {
            fault("a placement off the screen")
        }
        pictures.placed.append(placed)
    }

    private mutating func delete(_ keys: [String: String]) {
        let id = keys["i"].flatMap { Int($0) }
        switch keys["d"] {
        case "a": pictures.placed = []
        case "i":
            let number = keys["p"].flatMap { Int($0) }
            pictures.placed.removeAll { $0.id == id && (number == nil || number == $0.number) }
        case "I":
            pictures.placed.removeAll { $0.id == id }
            // As kitty 0.26: all images that are not on the screen are freed.
            let shown = Set(pictures.placed.map(\.id))
            pictures.images = pictures.images.filter { $0.key != id && (shown.contains($0.key) || $0.value.isVirtual) }
        default: fault("a deletion: \(keys)")
        }
    }

    /// Draws a sixel picture, or a part from the column and row in place of its aspect ratio, as xterm does:
    /// its cells replace those below, and the cursor's position is unknown.
    private mutating func drawInline(_ text: String) {
        if !isInBlock { fault("a picture outside a synchronized block") }
        if isCursorUnknown { fault("a picture at an unknown position") }
        let parts = text.split(separator: "#", maxSplits: 1)
        let numbers = parts[0].drop { $0 != "\"" }.dropFirst().split(separator: ";").compactMap { Int($0) }
        let (source, sides) = (numbers.prefix(2), Array(numbers.suffix(2)))
        guard numbers.count == 4, parts.count == 2, let picture = ModelPicture(data: String(parts[1])) else {
            return fault("a picture that is broken")
        }
        let width = (sides[0] + Self.cell.width - 1) / Self.cell.width
        let height = (sides[1] + Self.cell.height - 1) / Self.cell.height
        guard cursor.row + height < rows, cursor.column + width <= columns else {
            return fault("a picture in the last row or off the screen")
        }
        for row in 0..<height {
            for column in 0..<width {
                cells[(cursor.row + row) * columns + cursor.column + column] = Cell(
                    text: " ", look: .plain,
                    part: Part(name: picture.name, row: row + source[1], column: column + source[0]))
            }
        }
        isCursorUnknown = true
    }

    /// Moves the pictures of the region.
    ///
    /// One that the scroll would cut is a fault: terminals clip, tear or leave it. kitty also leaves those that
    /// end in the last row.
    mutating func scrollPictures(by distance: Int) {
        let end = region.upperBound - 1
        for index in pictures.placed.indices {
            let placed = pictures.placed[index]
            guard (placed.row..<placed.row + placed.rows).overlaps(region) else { continue }
            let after = placed.row - distance
            let isInside =
                placed.row >= region.lowerBound && placed.row + placed.rows <= end
                && after >= region.lowerBound && after + placed.rows <= end
            if isInside { pictures.placed[index].row = after } else { fault("a scroll cuts a placement") }
        }
        let outside = cells.indices.contains { cells[$0].part != nil && !region.contains($0 / columns) }
        if distance > 0, outside { fault("a scroll up moves the sixels outside its region in xterm, too") }
        // Parts of inline pictures move as cells; those of one picture must stay together.
        for row in region {
            for column in 0..<columns {
                guard let part = cells[row * columns + column].part else { continue }
                if !region.contains(row - distance) { fault("a scroll cuts a picture") }
                for (neighbour, edge) in [(row - 1, region.lowerBound), (row + 1, region.upperBound - 1)]
                where row == edge {
                    guard (0..<rows).contains(neighbour), let other = cells[neighbour * columns + column].part else {
                        continue
                    }
                    if other.name == part.name, other.row - part.row == neighbour - row {
                        fault("a scroll tears a picture")
                    }
                }
            }
        }
    }
}

/// The data of a picture for `TerminalModel`: a name, the cells of one with fewer pixels, and the length,
/// which the model checks.
package struct ModelPicture: Sendable {
    package let name: String
    package let cells: (columns: Int, rows: Int)?
    package let data: String

    package init(_ number: Int, length: Int, cells: (columns: Int, rows: Int)? = nil) {
        name = "T\(number)"
        self.cells = cells
        let start = "T\(number)\(cells.map { "S\($0.columns)S\($0.rows)" } ?? "")L\(length)x"
        data = start + String(repeating: "A", count: max(length - start.utf8.count, 0))
    }

    /// Pixels begin with the number, and with the cells of one with fewer pixels.
    init(pixels: [UInt8]) {
        name = "T\(pixels[0])"
        cells = pixels[1] == 0 ? nil : (Int(pixels[1]), Int(pixels[2]))
        data = ""
    }

    /// The size of a PNG.
    private(set) var pngSize: (width: Int, height: Int)?

    /// The start of a PNG, as far as the model reads it, and the number of the picture.
    package static func png(width: Int, height: Int, number: UInt8) -> [UInt8] {
        let sides = [width, height].flatMap { side in [24, 16, 8, 0].map { UInt8(side >> $0 & 0xFF) } }
        return [UInt8](repeating: 0, count: 16) + sides + [number]
    }

    init?(data: String, isPNG: Bool) {
        guard isPNG else {
            self.init(data: data)
            return
        }
        guard let bytes = Base64.decoded(data), bytes.count == 25 else { return nil }
        func side(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        self.init(pixels: [bytes[24], 0])
        pngSize = (side(16), side(20))
    }

    init?(data: String) {
        let start = data.prefix { $0 != "x" }
        let parts = start.split(separator: "L")
        guard parts.count == 2, Int(parts[1]) == data.utf8.count else { return nil }
        let words = parts[0].split(separator: "S")
        name = String(words[0])
        let sides = words.dropFirst().compactMap { Int($0) }
        cells = sides.count == 2 ? (sides[0], sides[1]) : nil
        self.data = data
    }
}
