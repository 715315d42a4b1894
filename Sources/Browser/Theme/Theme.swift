/// Colours, marks and margins.
package struct Theme: Hashable, Sendable {
    package init() {}
}
