import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

extension TerminalModel {
    /// A terminal with this module's character widths, which also draws the symbols that divide a cell.
    init(size: CellSize) {
        self.init(columns: size.columns, rows: size.rows) { character in
            character.unicodeScalars.first.flatMap { SymbolShape($0) } != nil ? 1 : CharacterWidth.of(character)
        }
    }

    /// The first difference between the screen and a grid, or `nil`.
    func difference(from grid: CellGrid, usesColor: Bool = true, usesPlaceholders: Bool = true) -> String? {
        if let fault = faults.first { return "fault: \(fault)" }
        guard columns == grid.size.columns, rows == grid.size.rows else { return "another size" }
        let cursor = grid.cursor.flatMap { grid.area.contains($0) ? $0 : nil }
        if isCursorShown != (cursor != nil) { return "the cursor is shown: \(isCursorShown)" }
        if let cursor, (cursor.row, cursor.column) != self.cursor { return "the cursor is at \(self.cursor)" }
        let pixels = grid.pixelCells(usesPlaceholders: usesPlaceholders)
        for (at, wanted) in grid.cells.enumerated() {
            let shown = cells[at]
            let part = self.part(column: at % columns, row: at / columns)
            guard part == pixels[at] else {
                return
                    "column \(at % columns), row \(at / columns): \(String(describing: part)), not \(String(describing: pixels[at]))"
            }
            if part != nil { continue }
            let wanted = grid.appearance(of: wanted)
            let text = grid.string(of: wanted)
            let isSame = shown.text == text && (usesColor ? shown.look.isLike(wanted) : shown.look == .plain)
            guard isSame || (wanted.isContinuation && shown.text.isEmpty) else {
                let place = "column \(at % columns), row \(at / columns)"
                return "\(place): \(shown) instead of \(text.debugDescription) \(wanted.style)"
            }
        }
        return nil
    }
}

extension TerminalModel.Look {
    /// Whether a cell looks like this.
    fileprivate func isLike(_ cell: Cell) -> Bool {
        let attributes = cell.style.attributes
        guard background == TerminalModel.Color(cell.style.background), isUnderlined == attributes.contains(.underline),
            isReversed == attributes.contains(.reverse)
        else { return false }
        if cell.isBare { return true }
        return foreground == TerminalModel.Color(cell.style.foreground) && isBold == attributes.contains(.bold)
            && isDim == attributes.contains(.dim)
    }
}

extension TerminalModel.Color {
    fileprivate init(_ color: CellColor) {
        if let channels = color.channels {
            self = .rgb(channels.red, channels.green, channels.blue)
        } else if let index = color.paletteIndex {
            self = .palette(Int(index))
        } else {
            self = .terminalDefault
        }
    }
}

extension CellGrid {
    /// What each cell shows of a picture in pixels, if the terminal has all of them; an inline one not in the last row.
    fileprivate func pixelCells(usesPlaceholders: Bool) -> [Int: TerminalModel.Part] {
        var cellsOf: [Placement: [Int]] = [:]
        for at in cells.indices where cells[at].isPlaced {
            cellsOf[Placement(of: cells[at], column: at % size.columns, row: at / size.columns), default: []].append(at)
        }
        var parts: [Int: TerminalModel.Part] = [:]
        for (placement, cells) in cellsOf {
            guard let image = pictures[placement.number], let payload = image.animation ?? image.payload else {
                continue
            }
            switch payload.kind {
            case .kittyPlaceholders: guard usesPlaceholders else { continue }
            case .kittyPlacement: break
            case .inline: guard cells.allSatisfy({ $0 / size.columns < size.rows - 1 }) else { continue }
            }
            for at in cells {
                let cell = self.cells[at]
                parts[at] = TerminalModel.Part(
                    name: payload.modelName, row: cell.placedRow, column: cell.placedColumn)
            }
        }
        return parts
    }
}

extension PixelPayload {
    /// The payload of a picture that `TerminalModel` reads, in chunks of 60 characters.
    ///
    /// With several frames, an animation of a third of the pixels.
    init(
        _ kind: Kind, number: Int, columns: Int, rows: Int, length: Int = 150, frames: Int = 1
    ) {
        let isScaled = frames > 1
        let data = ModelPicture(number, length: length, cells: isScaled ? (columns, rows) : nil).data
        let width = columns * TerminalModel.cell.width / (isScaled ? 3 : 1)
        let height = rows * TerminalModel.cell.height / (isScaled ? 3 : 1)
        // The model reads the part's first column and row in place of the aspect ratio.
        let part: @Sendable (PixelArea) -> [UInt8] = { part in
            let (column, row) = (part.x / TerminalModel.cell.width, part.y / TerminalModel.cell.height)
            return Array("\u{1B}Pq\"\(column);\(row);\(part.size.width);\(part.size.height)#\(data)\u{1B}\\".utf8)
        }
        func chunks(_ keys: String, continuing next: String = "") -> [UInt8] {
            var (bytes, rest, keys) = ([UInt8](), Substring(data), keys)
            while !rest.isEmpty {
                let chunk = rest.prefix(60)
                rest = rest.dropFirst(60)
                bytes += Array("\u{1B}_G\(keys)q=2,m=\(rest.isEmpty ? 0 : 1);\(chunk)\u{1B}\\".utf8)
                keys = next
            }
            return bytes
        }
        let id = Self.idInBytes
        var more = (0..<frames).dropFirst().map { chunks("a=f,i=\(id),r=\($0 + 1),z=40,", continuing: "a=f,") }
        if isScaled { more.append(KittyCommands().play(id, firstFrameLasting: .milliseconds(40), times: nil)) }
        var bytes: [UInt8] = []
        if kind == .inline {
            bytes = part(PixelArea(of: PixelSize(width: width, height: height)))
        } else {
            let action = kind == .kittyPlaceholders ? "a=T,U=1,c=\(columns),r=\(rows)" : "a=t"
            bytes = chunks("\(action),i=\(id),f=24,s=\(width),v=\(height),")
        }
        self.init(
            kind, bytes, size: PixelSize(width: width, height: height),
            cell: PixelSize(width: TerminalModel.cell.width, height: TerminalModel.cell.height),
            covering: kind == .inline ? PixelSize(width: width, height: height) : nil,
            stretchedTo: isScaled ? CellSize(clamping: columns, rows) : nil, frames: more,
            part: part)
    }

    /// A picture of one byte's number, or an animation of several frames, that is sent through shared memory.
    init(_ kind: Kind, number: UInt8, columns: Int, rows: Int, frames: Int = 1, in memory: SharedPixels) throws {
        var options = ImageRenderer.Options(mode: .kitty, depth: .truecolor)
        options.codecs = PixelCodecs(png: { _ in [] }, jpeg: { _, _ in [] })
        options.codecs?.sharedPixels = memory
        options.sharesMemory = true
        options.usesPlaceholders = kind == .kittyPlaceholders
        let cell = PixelSize(width: TerminalModel.cell.width, height: TerminalModel.cell.height)
        options.cellPixels = cell
        let shown = PixelSize(width: columns * cell.width, height: rows * cell.height)
        let part = frames > 1 ? 3 : 1
        var pixels = PixelBuffer(size: PixelSize(width: shown.width / part, height: shown.height / part))
        pixels[0, 0] = RGBA(number, frames > 1 ? UInt8(columns) : 0, frames > 1 ? UInt8(rows) : 0, 255)
        let still = CellImage(columns: columns, rows: rows, cells: [])
        guard frames > 1 else {
            self = try #require(try options.adding(pixels, to: still).payload)
            return
        }
        let all = try (1...frames).map {
            try options.frame(pixels, number: $0, lasting: .milliseconds(40), shownAt: shown)
        }
        self = try #require(options.animation(of: all, plays: nil)?.payload)
    }

    /// The name of the picture in `TerminalModel`.
    var modelName: String {
        if let first = shared.first { return "T\(first.bytes[0])" }
        let text = String(decoding: bytes, as: UTF8.self)
        let start = text.firstIndex { $0 == ";" || $0 == "#" } ?? text.startIndex
        guard let separator = text[start...].firstRange(of: kind == .inline ? "#T" : ";T") else { return "" }
        return "T" + text[separator.upperBound...].prefix { $0 != "L" && $0 != "S" }
    }
}
