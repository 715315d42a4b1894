/// How results are named: `{stem}-{w}x{h}.{ext}`.
package struct NameTemplate: Hashable, Sendable {
    package let text: String
}
