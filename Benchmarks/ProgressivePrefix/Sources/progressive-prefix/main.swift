import Glibc
import SpyglassCodecs
import SpyglassPixels

// After which share of a progressive JPEG's bytes is the picture as good as the whole file's, at the size that is wanted?
//
//   progressive-prefix FILE...
//
// A row a file, and for each target three shares of its bytes: at the end of the first scan from which on the picture lies
// no more than 40 dB and 45 dB below the range from the whole one, which only who has the whole can know; and at the end of
// the first scan that changes the picture by less than 45 dB, which a transfer could stop at, with what it would be worth.
// Then the median and the worst of each.

let targets = [(60, 40), (160, 90), (480, 270)]
let thresholds = [40.0, 45.0]

func contents(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
    return bytes
}

/// How far the colours of two pictures of a size are apart, in dB below their range.
func distance(_ one: PixelBuffer, _ other: PixelBuffer) -> Double {
    var squares = 0
    for (at, pair) in zip(one.bytes, other.bytes).enumerated() where at % 4 != 3 {
        let difference = Int(pair.0) - Int(pair.1)
        squares += difference * difference
    }
    guard squares > 0 else { return .infinity }
    return 10 * log10(255 * 255 * Double(one.bytes.count / 4 * 3) / Double(squares))
}

func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
}

func percent(_ share: Double) -> String { padded("\((share * 1000).rounded() / 10) %", 7) }

func decibels(_ distance: Double) -> String { padded("\(Int(min(distance, 99))) dB", 6) }

struct Found {
    /// For each threshold.
    var shares: [Double]
    var stop: Double
    var worth: Double
}

func search(_ pictures: [PixelBuffer], whole: PixelBuffer, ends: [Double]) -> Found {
    let distances = pictures.map { distance($0, whole) }
    let shares = thresholds.map { least in
        let lastTooFar = distances.lastIndex { $0 < least } ?? -1
        return ends[min(lastTooFar + 1, ends.count - 1)]
    }
    let changes = zip(pictures.dropFirst(), pictures).map { distance($0, $1) }
    let stop = changes.firstIndex { $0 >= 45 }.map { $0 + 1 } ?? ends.count - 1
    return Found(shares: shares, stop: ends[stop], worth: distances[stop])
}

var found: [[Found]] = Array(repeating: [], count: targets.count)
print("file, bytes, pixels | for each target: 40 dB, 45 dB, first small change, what that is worth")
for path in CommandLine.arguments.dropFirst() {
    let bytes = contents(path)
    let ends = scanEnds(bytes)
    guard ends.count > 1 else {
        print("\(path): not progressive")
        continue
    }
    var row = ""
    var size = ""
    for (which, target) in targets.enumerated() {
        let box = TargetSize(box: PixelSize(width: target.0, height: target.1))
        let whole = try ImageDecoder().decode(.bytes(bytes), to: box)
        size = "\(whole.info.storedSize)"
        let pictures = try ends.map { try ImageDecoder().decode(.bytes(Array(bytes[..<$0])), to: box).pixels }
        let shares = ends.map { Double($0) / Double(bytes.count) }
        let one = search(pictures, whole: whole.pixels, ends: shares)
        found[which].append(one)
        row += " |" + one.shares.map(percent).joined() + percent(one.stop) + decibels(one.worth)
    }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    print("\(padded(name, 48)) \(padded("\(bytes.count)", 8)) \(padded(size, 9))\(row)")
}
for (target, found) in zip(targets, found) where !found.isEmpty {
    let columns = [found.map { $0.shares[0] }, found.map { $0.shares[1] }, found.map(\.stop)].map { $0.sorted() }
    let summary = columns.map { "\(percent($0[$0.count / 2])) (at most \(percent($0[$0.count - 1])))" }
    let worst = found.map(\.worth).min() ?? 0
    print("\(target.0)x\(target.1): medians \(summary.joined(separator: ", ")), worth at least \(decibels(worst))")
}
