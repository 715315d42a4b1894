internal import SpyglassFetching

struct DemoPhoto: Hashable {
    let index: Int
    let seed: UInt64

    enum Size: String, CaseIterable {
        case thumb, medium

        var width: Int { self == .thumb ? 96 : 384 }
        var height: Int { self == .thumb ? 64 : 256 }
    }

    /// Reserved by RFC 2606.
    static let host = "demo.invalid"

    func random(_ purpose: UInt64) -> SplitMix64 {
        var mixer = SplitMix64(state: seed)
        mixer = SplitMix64(state: mixer.next() ^ UInt64(truncatingIfNeeded: index))
        return SplitMix64(state: mixer.next() ^ purpose)
    }

    /// The photo; one in 97 lacks an image.
    func photo(source: String) -> Photo {
        var photo = metadata(source: source)
        guard index % 97 != 96 else { return photo }
        photo.renditions = Size.allCases.compactMap(rendition)
        photo.thumbnail = photo.renditions.first?.address
        return photo
    }

    /// The photo without its files; one in 11 lacks a photographer, one in 13 a date.
    func metadata(source: String) -> Photo {
        var random = random(1)
        let thing = random.pick(Self.things)
        let place = random.pick(Self.places)
        let light = random.pick(Self.lights)
        var photo = Photo(id: "demo-\(index + 1)", source: source)
        photo.title = "\(thing) \(light), \(place)"
        if !index.isMultiple(of: 11) { photo.photographer = random.pick(Self.photographers) }
        let year = 1961 + random.below(60)
        if !index.isMultiple(of: 13) {
            photo.date = "\(year)-\(twoDigits(1 + random.below(12)))-\(twoDigits(1 + random.below(28)))T00:00:00Z"
        }
        photo.center = random.pick(Self.centers)
        photo.location = place
        photo.description = "A made-up picture: \(thing.lowercased()) \(light), never seen at \(place)."
        photo.keywords = [thing.lowercased(), place]
        photo.credit = "Spyglass, synthetic"
        return photo
    }

    private func rendition(_ size: Size) -> Rendition? {
        WebAddress("http://\(Self.host)/\(seed)/\(index)~\(size.rawValue).png").map { address in
            Rendition(address, width: size.width, height: size.height, rel: size == .thumb ? "preview" : "alternate")
        }
    }

    private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let things = [
        "Crater rim", "Ring system", "Storm band", "Crescent", "Ice cliffs", "Lava plain", "Dust devil", "Cloud tops",
        "Dune field", "Terminator", "Aurora", "Eclipse", "Polar cap", "Impact basin", "Shepherd moon", "Canyon",
    ]
    private static let lights = [
        "at dawn", "at dusk", "in false colour", "by night", "from orbit", "in low sun", "through haze",
        "after the flyby",
    ]
    private static let places = [
        "Aldermoor", "New Carthage", "Port Hesper", "Thule Minor", "Vantage IV", "Kestrel's Moon", "Ombra",
        "Far Lantern", "Saint-Exil", "Mare Incognitum", "Łuna Wschodnia", "Höhenfeld",
    ]
    private static let photographers = [
        "Ada Quill", "Tomas Brandt", "Ines Okafor", "Lars Veum", "Mei Castellan", "Rowan Pike", "Yusuf Adler",
        "Noor Lindqvist",
    ]
    private static let centers = ["ALPHA", "BETA", "GAMMA"]
}

/// Pseudo-random numbers, the same for a seed on every machine: SplitMix64 (Steele, Lea, Flood 2014).
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    package mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }

    /// 0 to below 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
    mutating func pick(_ choices: [String]) -> String { choices.isEmpty ? "" : choices[below(choices.count)] }
}
