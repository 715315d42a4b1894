/// FNV-1a, 64 bits (draft-eastlake-fnv): the same on every machine and in every run, which `Hasher` is not.
///
/// It spreads names over folders; whoever chooses the names can make two collide.
package enum FNV1a {
    /// The hash of a text's UTF-8.
    package static func hash(_ text: String) -> UInt64 {
        var text = text
        // The offset basis and the prime of the 64-bit form.
        return text.withUTF8 { bytes in
            bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        }
    }
}
