import SpyglassTerminalUI
import Testing

@testable import spyglass

@Suite("Where the items of a list stand", .timeLimit(.minutes(10)))
struct ListLayoutTests {
    @Test(
        "Places of pictures and columns of text at common sizes",
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
    func places(screen: CellSize, place: CellSize, text: Int) {
        let layout = ListLayout(screen: screen)
        #expect(layout.place == place)
        #expect(layout.textColumns == text)
    }

    @Test("Picture and text never reach the last column, on any screen")
    func fits() {
        for columns in 1...300 {
            for rows in [1, 2, 5, 24, 1000] {
                let layout = ListLayout(screen: CellSize(clamping: columns, rows))
                let beside = layout.place.columns + ListLayout.gap + layout.textColumns
                let used = layout.isStacked ? max(layout.place.columns, layout.textColumns) : beside
                #expect(used <= max(columns - 1, 1), "\(columns)x\(rows)")
            }
        }
    }

    @Test("Without pictures, text has all of the width")
    func textOnly() {
        #expect(ListLayout(screen: CellSize(clamping: 200, 50), hasPictures: false).textColumns == 199)
    }
}
