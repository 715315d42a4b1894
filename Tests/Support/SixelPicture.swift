/// A sixel picture as a terminal shows it, read by the VT340's manual; what terminals treat differently is a fault.
package struct SixelPicture: Sendable {
    /// From the raster attributes.
    package private(set) var width = 0
    package private(set) var height = 0
    /// Red, green, blue and alpha of each pixel; zeros where nothing is drawn.
    package private(set) var pixels: [UInt8] = []
    /// By number: red, green and blue.
    package private(set) var registers: [Int: [UInt8]] = [:]
    package private(set) var faults: [String] = []

    private var rest: ArraySlice<UInt8>
    private var register = 0
    private var (x, y) = (0, 0)

    /// Reads a whole sequence, from `ESC P` to `ESC \`.
    package init(reading bytes: [UInt8]) {
        rest = bytes[...]
        guard bytes.starts(with: "\u{1B}P".utf8), bytes.suffix(2) == [0x1B, 0x5C], take(until: "q") == "\u{1B}P0;1"
        else {
            faults = ["not a sixel sequence that keeps unset pixels"]
            return
        }
        rest = rest.dropLast(2)
        guard rest.first == UInt8(ascii: "\"") else {
            faults = ["no raster attributes"]
            return
        }
        while let byte = rest.popFirst() { perform(byte) }
    }

    private mutating func perform(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""):
            let numbers = numbers()
            guard numbers.count == 4, numbers[0] == 1, numbers[1] == 1 else {
                return faults.append("raster \(numbers)")
            }
            (width, height) = (numbers[2], numbers[3])
            pixels = [UInt8](repeating: 0, count: width * height * 4)
        case UInt8(ascii: "#"): choose(numbers())
        case UInt8(ascii: "!"):
            let count = numbers().first ?? 0
            if count < 1 { faults.append("repeats nothing") }
            if let sixel = rest.popFirst() { draw(sixel, count) }
        case UInt8(ascii: "$"): x = 0
        case UInt8(ascii: "-"):
            (x, y) = (0, y + 6)
            if y >= height { faults.append("a band below the picture") }
        default: draw(byte, 1)
        }
    }

    private mutating func choose(_ numbers: [Int]) {
        register = numbers.first ?? -1
        guard (0..<256).contains(register) else { return faults.append("register \(register)") }
        guard numbers.count > 1 else {
            if registers[register] == nil { faults.append("undefined register \(register)") }
            return
        }
        guard numbers.count == 5, numbers[1] == 2, numbers[2...].allSatisfy({ (0...100).contains($0) }) else {
            return faults.append("colour \(numbers)")
        }
        if registers[register] != nil { faults.append("register \(register) is defined again") }
        registers[register] = numbers[2...].map { UInt8(($0 * 255 + 50) / 100) }
    }

    private mutating func draw(_ sixel: UInt8, _ count: Int) {
        guard (63...126).contains(sixel) else { return faults.append("byte \(sixel)") }
        defer { x += count }
        guard sixel > 63 else { return }
        guard let color = registers[register] else { return faults.append("drawn without a colour") }
        for row in 0..<6 where (sixel - 63) >> UInt8(row) & 1 == 1 {
            guard y + row < height, x + count <= width else { return faults.append("a pixel outside the picture") }
            for column in x..<x + count {
                let at = ((y + row) * width + column) * 4
                if pixels[at + 3] != 0 { faults.append("a pixel is drawn twice") }
                pixels.replaceSubrange(at..<at + 4, with: color + [255])
            }
        }
    }

    private mutating func numbers() -> [Int] {
        let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
        rest = rest[digits.endIndex...]
        return String(decoding: digits, as: UTF8.self).split(separator: ";").compactMap { Int($0) }
    }

    private mutating func take(until end: Character) -> String {
        let text = rest.prefix { $0 != end.asciiValue }
        rest = rest[text.endIndex...].dropFirst()
        return String(decoding: text, as: UTF8.self)
    }
}
