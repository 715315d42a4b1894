import SpyglassCatalog
import Testing

@testable import SpyglassBrowser

@Suite("FuzzyPattern")
struct FuzzyPatternTests {
    private func found(_ pattern: String, in text: String) -> [String] {
        let bytes = Array(text.utf8)
        return FuzzyPattern(pattern).ranges(in: text).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    private func matches(_ pattern: String, _ title: String) -> Bool {
        var photo = Photo(id: "1", source: "nasa")
        photo.title = title
        return FuzzyPattern(pattern).matches(photo)
    }

    @Test(
        "Letters are found next to each other, or with others left out",
        arguments: [
            ("mars", "The MARS rover", "MARS"), ("over", "The MARS rover", "over"), ("mrs", "Mars", "Mrs"),
            ("mro", "Mars Robot Orbiter", "MRo"), ("mrsr", "Mars red rocks", "Mrsr"), ("a11", "Apollo 11", "A11"),
            ("apl11", "The Apollo 11 landing", "Apl11"), ("jmswb", "James Webb", "JmsWb"), ("nbla", "nebula", "nbla"),
            ("iss", "International Space Station", "ISS"), ("-11", "Apollo-11", "-11"), ("n's", "Luna's moon's", "n's"),
        ])
    func found(pattern: String, text: String, letters: String) {
        #expect(found(pattern, in: text).joined() == letters)
        #expect(matches(pattern, text))
    }

    @Test(
        "Letters far apart, in another order or inside of words are not found",
        arguments: [
            ("sram", "Mars"), ("mrs", "Memories"), ("mnb", "Moon and nebula"), ("rvr", "Mars, driver"), ("x", "Mars"),
            ("marss", "Mars"), ("aa", "a"), ("mars", ""),
        ])
    func missing(pattern: String, text: String) {
        #expect(found(pattern, in: text).isEmpty && !matches(pattern, text))
    }

    @Test(
        "Case, accents and combining marks do not count, in any script",
        arguments: [
            ("cafe", "Café"), ("cafe", "Cafe\u{301}"), ("CAFÉ", "cafe"), ("zero", "Ze\u{301}ro\u{302}"),
            ("луна", "ЛУНА-1"),
            ("日本", "国際宇宙ステーションから見た日本列島"), ("القمر", "صورة القمر من محطة"), ("strom", "Ångström"), ("👩", "👩🏽‍🚀"),
        ])
    func scripts(pattern: String, text: String) {
        #expect(!found(pattern, in: text).isEmpty && matches(pattern, text))
    }

    @Test("All words are needed, in title, maker or description; none matches everything")
    func words() {
        var photo = Photo(id: "1", source: "nasa")
        photo.title = "Apollo 11"
        photo.photographer = "Neil Armstrong"
        photo.description = "The flag on the Moon."
        for text in ["apollo", "moon apollo", "ARMSTR flag 11", " ", ""] {
            #expect(FuzzyPattern(text).matches(photo), "\(text)")
        }
        #expect(!FuzzyPattern("apollo venus").matches(photo))
        photo.photographer = nil
        photo.secondaryCreator = "Buzz Aldrin"
        #expect(FuzzyPattern("aldrn").matches(photo) && !FuzzyPattern("armstrong").matches(photo))
    }
}
