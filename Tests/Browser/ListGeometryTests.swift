import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("ListGeometry")
struct ListGeometryTests {
    @Test("No two visible items overlap, at any size and arrangement")
    func placesAndPositions() {
        for columns in [1, 2, 5, 20, 39, 40, 80, 120, 200, 1000] {
            for rows in [1, 2, 4, 5, 6, 10, 24, 40, 60] {
                for (arrangement, density) in [(.list, 0), (.list, 2), (.list, 4), (.grid, 2)]
                    as [(Preferences.Arrangement, Int)]
                {
                    var preferences = Preferences()
                    preferences.arrangement = arrangement
                    preferences.density = density
                    let geometry = ListGeometry(
                        screen: CellSize(clamping: columns, rows), preferences: preferences, showsImages: true)
                    #expect(geometry.itemColumns >= 1 && geometry.itemRows >= 1)
                    var places: Set<CellPosition> = []
                    for position in geometry.positions(from: 3) {
                        guard let area = geometry.area(of: position, from: 3) else {
                            Issue.record("no place for \(position)")
                            continue
                        }
                        #expect(places.insert(CellPosition(column: area.column, row: area.row)).inserted)
                        #expect(geometry.area.contains(CellPosition(column: area.column, row: area.row)))
                    }
                }
            }
        }
    }

    @Test("Thumbnails grow with the screen: a fifth of its rows, at least 6, at the default density")
    func growing() {
        for (rows, heights) in [
            (24, [3, 6, 10, 16]), (30, [3, 6, 10, 16]), (40, [4, 8, 13, 21]), (60, [6, 12, 20, 32]),
        ] {
            for (density, height) in zip(1..., heights) {
                var preferences = Preferences()
                preferences.density = density
                let screen = CellSize(clamping: 200, rows)
                let geometry = ListGeometry(screen: screen, preferences: preferences, showsImages: true)
                #expect(geometry.thumbnail?.rows == height && geometry.itemRows == height + 1)
            }
        }
    }

    @Test("Without images an item is as high as its text, more at each density")
    func textAlone() {
        let rows = ListGeometry.densities.indices.map { density in
            var preferences = Preferences()
            preferences.density = density
            let screen = CellSize(clamping: 120, 40)
            return ListGeometry(screen: screen, preferences: preferences, showsImages: false).itemRows
        }
        #expect(rows == [1, 4, 6, 8, 11])
    }

    @Test("From 24 rows on a blank row separates header and photos")
    func header() {
        for (rows, first) in [(4, 0), (5, 1), (23, 1), (24, 2), (60, 2)] {
            let screen = CellSize(clamping: 80, rows)
            let list = ListGeometry(screen: screen, preferences: Preferences(), showsImages: true)
            let detail = DetailGeometry(TerminalTraits(size: screen), Preferences(), showsImages: false, ratio: nil)
            #expect(list.area.row == first && detail.text?.row == first)
            #expect(list.area.endRow == (rows < 5 ? rows : rows - 1))
        }
    }
}
