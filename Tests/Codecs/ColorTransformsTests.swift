import SpyglassPixels
import SpyglassThreads
import Testing

@testable import SpyglassCodecs

@Suite("Colour transforms")
struct ColorTransformsTests {
    @Test("Without lcms2 the image is unchanged, and the package is named")
    func missing() {
        let transforms = ColorTransforms(by: LCMSLibrary.open("libnosuch.so.2"))
        let conversion = transforms.conversion(of: .bytes(ColorFixture.profile("p3")), for: .rgb)
        #expect(
            conversion.warning
                == "the colour profile 'Display P3' was not applied: libnosuch.so.2 is missing (Debian: liblcms2-2)")
        let picture = PixelBuffer(size: PixelSize(width: 1, height: 1), bytes: [1, 2, 3, 255])
        #expect(conversion.converted(picture) == picture)
    }

    @Test("sRGB and no profile need no library", arguments: ["srgb-v2", "srgb-v4"])
    func sRGB(name: String) {
        let opened = Mutex(0)
        let transforms = ColorTransforms(by: count(opened))
        let profile = EmbeddedProfile.bytes(ColorFixture.profile(name))
        for (profile, colors) in [(profile, ImageColors.rgb), (profile, .gray), (.none, .rgb)] {
            #expect(transforms.conversion(of: profile, for: colors).warning == nil)
        }
        #expect(opened.withLock { $0 } == 0)
    }

    @Test(
        "Many threads get equal results from one transform",
        .enabled(if: ColorFixture.hasLibrary, ColorFixture.skips))
    func shared() async throws {
        let transforms = ColorTransforms(by: LCMSLibrary.system)
        let profile = EmbeddedProfile.bytes(ColorFixture.profile("p3"))
        let size = PixelSize(width: 64, height: 16)
        let bytes = (0..<size.pixelCount * 4).map { UInt8(truncatingIfNeeded: $0 &* 37 | 1) }
        let picture = PixelBuffer(size: size, bytes: bytes)
        let wanted = transforms.conversion(of: profile, for: .rgb).converted(picture)
        #expect(wanted != picture)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask { transforms.conversion(of: profile, for: .rgb).converted(picture) == wanted }
            }
            for await isSame in group { #expect(isSame) }
        }
    }

    @Test(
        "Transparent pixels stay zero, also if the profile maps zero to light",
        .enabled(if: ColorFixture.hasLibrary, ColorFixture.skips))
    func transparent() throws {
        var negative = ColorFixture.profile("gray-gamma")
        let curve = try #require(ColorProfile(negative).tag("kTRC")).bytes.startIndex
        negative.replaceSubrange(curve + 8..<curve + 16, with: [0, 0, 0, 2, 255, 255, 0, 0])
        let conversion = ColorTransforms(by: LCMSLibrary.system).conversion(of: .bytes(negative), for: .gray)
        let pixels: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 9]
        let picture = PixelBuffer(size: PixelSize(width: 2, height: 1), bytes: pixels)
        let converted = conversion.converted(picture)
        #expect(converted[0, 0] == RGBA(0, 0, 0, 0))
        #expect(converted[1, 0].red > 200 && converted[1, 0].alpha == 9)
    }

    @Test(
        "A damaged profile gives a transform or an error",
        .enabled(if: ColorFixture.hasLibrary, ColorFixture.skips),
        arguments: [("p3", 13), ("gray-gamma", 13), ("cmyk", 151), ("turned", 67)])
    func damaged(name: String, step: Int) throws {
        let whole = ColorFixture.profile(name)
        let colors = try ImageColors(ColorProfile(whole).space)
        var refused = 0
        for at in stride(from: 0, to: min(whole.count, 900), by: step) {
            for profile in [Array(whole.prefix(at)), whole.prefix(at) + [0xFF] + whole.dropFirst(at + 1)] {
                let conversion = ColorTransforms(by: LCMSLibrary.system).conversion(of: .bytes(profile), for: colors)
                guard let warning = conversion.warning else { continue }
                #expect(isOneLine(warning))
                refused += 1
            }
        }
        #expect(refused > 3)
    }

    @Test(
        "A table whose grid is missing is rejected before allocation",
        .enabled(if: ColorFixture.hasLibrary, ColorFixture.skips))
    func gridWithoutPoints() throws {
        var bytes = ColorFixture.profile("cmyk")
        let table = try #require(ColorProfile(bytes).tag("A2B0")).bytes.startIndex
        bytes[table + 10] = 80
        let conversion = ColorTransforms(by: LCMSLibrary.system)
            .conversion(of: .bytes(bytes), for: .cmyk(isInverted: false))
        #expect(conversion.transform == nil)
        #expect(conversion.warning?.hasPrefix("the colour profile 'Tiny Inks' was not applied: lcms2: ") == true)
    }

    private func count(_ opened: borrowing Mutex<Int>) -> Result<LCMSLibrary, CodecError> {
        opened.withLock { $0 += 1 }
        return .failure(CodecError(.library, "it is missing"))
    }
}

extension ImageColors {
    fileprivate init(_ space: ColorProfile.Space) {
        switch space {
        case .gray: self = .gray
        case .rgb: self = .rgb
        case .cmyk: self = .cmyk(isInverted: true)
        }
    }
}
