import Testing

@testable import SpyglassCaching

@Suite("SHA256")
struct SHA256Tests {
    // FIPS 180-2, appendix B.
    @Test(
        "Known texts have their hashes",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ])
    func known(_ text: String, _ hash: String) { #expect(SHA256.text(of: Array(text.utf8)) == hash) }

    @Test("Parts of any length add up")
    func parts() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        for length in [1, 55, 56, 63, 64, 65, 200] {
            var hash = SHA256()
            for start in stride(from: 0, to: bytes.count, by: length) {
                hash.add(Array(bytes[start..<min(start + length, bytes.count)]))
            }
            #expect(hash.text == SHA256.text(of: bytes))
        }
    }
}
