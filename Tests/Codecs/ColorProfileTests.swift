import SpyglassPixels
import Testing

@testable import SpyglassCodecs

@Suite("Colour profiles")
struct ColorProfileTests {
    @Test(
        "sRGB is recognised whatever its name, and a profile that resembles it in part is not sRGB",
        arguments: ["srgb-v2", "srgb-v4", "p3", "adobe", "srgb-gamma", "turned", "swapped", "gray-gamma", "cmyk"])
    func sRGB(name: String) throws {
        #expect(try ColorProfile(ColorFixture.profile(name)).isSRGB == name.hasPrefix("srgb-v"))
    }

    @Test(
        "The English name is found in either form",
        arguments: [("p3", "Display P3"), ("adobe", "Adobe RGB (1998)"), ("gray-light", "Linear Gray")])
    func names(profile: String, name: String) throws {
        #expect(try ColorProfile(ColorFixture.profile(profile)).description == name)
    }

    @Test("A name has no control characters and bounded length")
    func cleanName() throws {
        var bytes = ColorFixture.profile("adobe")
        let start = try #require(ColorProfile(bytes).tag("desc")).bytes.startIndex
        for (at, byte) in [0x1B, 0x0A, 0xFF].enumerated() { bytes[start + 12 + at] = UInt8(byte) }
        #expect(try ColorProfile(bytes).description == "???be RGB (1998)")
        for at in start + 12..<start + 100 { bytes[at] = 0x41 }
        #expect(try ColorProfile(bytes).description?.count == 60)
    }

    @Test("A profile of another kind is rejected with a reason")
    func flaws() {
        var link = ColorFixture.profile("p3")
        link.replaceSubrange(12..<16, with: "link".utf8)
        var lab = ColorFixture.profile("p3")
        lab.replaceSubrange(16..<20, with: "Lab ".utf8)
        let cases = [
            ([], "not an ICC profile"), (Array(ColorFixture.profile("p3").prefix(131)), "not an ICC profile"),
            (link, "not an image profile"),
            (lab, "not for grey, RGB or CMYK"),
        ]
        for (bytes, reason) in cases {
            let error = #expect(throws: CodecError.self) { try ColorProfile(bytes) }
            #expect(error?.description == reason)
        }
    }

    @Test("Only floating-point tables are hidden from the library")
    func floatTables() throws {
        var bytes = ColorFixture.profile("p3")
        bytes.replaceSubrange(132..<136, with: "D2B0".utf8)
        let hidden = try ColorProfile(bytes).bytesWithoutFloatTables
        #expect(zip(bytes, hidden).filter { $0 != $1 }.count == 1 && hidden[132] == 0)
        let untouched = ColorFixture.profile("p3")
        #expect(try ColorProfile(untouched).bytesWithoutFloatTables == untouched)
    }
}

@Suite("Tone curves")
struct ToneCurveTests {
    @Test("The five functions follow the specification")
    func functions() throws {
        let half = 0.5
        let parameters = [2.0, 0.5, 0.25, 0.125, 0.75, 0.0625, 0.03125]
        let wanted = [0.25, 0.25, 0.375, 0.0625, 0.09375]
        for (type, count) in [1, 3, 4, 5, 7].enumerated() {
            let tone = try #require(
                curve("para", [0, UInt8(type), 0, 0], parameters.prefix(count).map { $0 * 65_536 }))
            #expect(abs(tone.light(half) - wanted[type]) < 1e-9, "type \(type)")
        }
    }

    @Test("A function with a missing parameter, an unknown type, or a table that is too short is invalid")
    func incomplete() {
        for (type, count, numbers) in [
            ("para", [0, 4, 0, 0], [65_536, 0, 0, 0, 0, 0]), ("para", [0, 5, 0, 0], [1, 2, 3, 4, 5, 6, 7]),
            ("text", [0, 0, 0, 0], [65_536]), ("curv", [0, 0, 0, 5], [0x0000_4000, 0xFFFF_0000]),
            ("curv", [0xFF, 0xFF, 0xFF, 0xFF], [0x0000_4000]),
        ] as [(String, [UInt8], [Double])] { #expect(curve(type, count, numbers) == nil) }
    }

    @Test("A table is interpolated, one number is a gamma, none is linear")
    func tables() throws {
        let table = try #require(curve("curv", [0, 0, 0, 3], [0x0000_4000, 0xFFFF_0000]))
        #expect(abs(table.light(0.25) - 0.125) < 0.001 && abs(table.light(1) - 1) < 1e-9)
        let others = [curve("curv", [0, 0, 0, 1], [0x0200_0000]), curve("curv", [0, 0, 0, 0], [])]
        #expect(others.map { $0?.light(0.5) } == [0.25, 0.5])
    }

    private func curve(_ type: String, _ count: [UInt8], _ numbers: [Double]) -> ToneCurve? {
        let rest = numbers.flatMap { [UInt8](Int($0), bytes: 4) }
        let bytes = Array(type.utf8) + [0, 0, 0, 0] + count + rest
        return ToneCurve(BinaryReader(bytes))
    }
}
