import SpyglassTerminalUI
import Testing

@testable import spyglass

@Suite("ListLayout", .timeLimit(.minutes(10)))
struct ListLayoutTests {
    @Test(
        "Image boxes and text columns at common sizes",
        arguments: [
            (CellSize(clamping: 20, 24), CellSize(clamping: 19, 9), 19),
            (CellSize(clamping: 49, 24), CellSize(clamping: 24, 12), 48),
            (CellSize(clamping: 50, 24), CellSize(clamping: 18, 6), 29),
            (CellSize(clamping: 80, 24), CellSize(clamping: 28, 9), 49),
            (CellSize(clamping: 100, 30), CellSize(clamping: 35, 11), 62),
            (CellSize(clamping: 120, 40), CellSize(clamping: 45, 15), 72),
            (CellSize(clamping: 120, 24), CellSize(clamping: 36, 12), 72),
            (CellSize(clamping: 200, 50), CellSize(clamping: 60, 20), 72),
        ])
    func sizes(screen: CellSize, imageBox: CellSize, text: Int) {
        let layout = ListLayout(screen: screen)
        #expect(layout.imageBox == imageBox)
        #expect(layout.textColumns == text)
    }

    @Test("Image and text never reach the last column")
    func fits() {
        for columns in 1...300 {
            for rows in [1, 2, 5, 24, 1000] {
                let layout = ListLayout(screen: CellSize(clamping: columns, rows))
                let beside = layout.imageBox.columns + ListLayout.gap + layout.textColumns
                let used = layout.isStacked ? max(layout.imageBox.columns, layout.textColumns) : beside
                #expect(used <= max(columns - 1, 1), "\(columns)x\(rows)")
            }
        }
    }

    @Test("Without images, text takes the full width")
    func textOnly() {
        #expect(ListLayout(screen: CellSize(clamping: 200, 50), hasImages: false).textColumns == 199)
    }
}
