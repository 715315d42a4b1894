import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("The geometry of a list")
struct ListGeometryTests {
    @Test("Every item on the screen is found where it stands, on every size and in every arrangement")
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
                    for position in geometry.positions(from: 3) {
                        guard let area = geometry.area(of: position, from: 3) else {
                            Issue.record("no place for \(position)")
                            continue
                        }
                        #expect(
                            geometry.position(at: CellPosition(column: area.column, row: area.row), from: 3)
                                == position)
                    }
                }
            }
        }
    }
}
