import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

@Suite("Base64")
struct Base64Tests {
    @Test("Every length and every byte survives a round trip", arguments: 0...70)
    func roundTrip(count: Int) {
        for first in stride(from: 0, to: 256, by: 23) {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: first + $0 * 37) }
            var text = Array("x".utf8)
            text.append(base64: bytes.span)
            #expect(Base64.decoded(String(decoding: text.dropFirst(), as: UTF8.self)) == bytes)
        }
    }
}
