extension BrowserState {
    /// Lines of the text on the detail screen, as it is wrapped there.
    var detailLineCount: Int { 0 }
}
