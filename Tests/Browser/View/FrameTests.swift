import SpyglassCatalog
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

/// `Frames` has a file per screen and terminal, with all sizes.
@Suite("Golden frames")
struct FrameTests {
    enum Setting: String, CaseIterable {
        case dark, light, unknown, sixteen, none, ascii, plain, arabic, japanese

        func states(_ columns: Int, _ rows: Int) -> ExampleStates {
            switch self {
            case .dark: ExampleStates(.example(columns, rows))
            case .light: ExampleStates(.example(columns, rows, background: RGB(255, 255, 255)))
            case .unknown: ExampleStates(.example(columns, rows, .palette256, background: nil))
            case .sixteen: ExampleStates(.example(columns, rows, .palette16))
            case .none: ExampleStates(.example(columns, rows, .monochrome))
            case .ascii: ExampleStates(.example(columns, rows, .monochrome, glyphs: .ascii))
            case .plain: Self.withoutImages(ExampleStates(.example(columns, rows)))
            case .arabic: ExampleStates(.example(columns, rows), language: .arabic)
            case .japanese: ExampleStates(.example(columns, rows), language: .japanese)
            }
        }

        private static func withoutImages(_ states: ExampleStates) -> ExampleStates {
            var states = states
            states.options.showsImages = false
            return states
        }
    }

    enum Example: String, CaseIterable {
        case home, pictures, mistake, list, lines, grid, marks, end, nothing, broken, detail, search, help, settings,
            alert,
            offline, save, savePath, saveAll, export, info
        case filter, filtered, cropped

        func state(_ states: ExampleStates) -> BrowserState {
            switch self {
            case .home: return states.home()
            case .pictures: return states.homePictures(SearchScreen(choice: states.homePictures().choices.count - 2))
            case .mistake:
                var search = SearchScreen(field: TextField("colour:red 火星"))
                search.mistake = .unknownFilter("colour", known: ["center", "year", "photographer"])
                return states.home(search)
            case .list: return states.list()
            case .lines: return states.lines()
            case .grid: return states.grid()
            case .marks: return states.marks()
            case .end: return states.end()
            case .nothing: return states.empty(archiveHolds: ["'apollo 11'", "'earth'"])
            case .broken:
                var offline = states
                offline.options.isOffline = true
                var state = offline.end()
                state.list?.isAtEnd = false
                state.list?.nextProblem = BrowserError(
                    reason: "https://images-api.nasa.gov/search?q=moon: no answer within 20 s", kind: .timedOut)
                state.activity.isStale = true
                state.notice = .saved(path: "/home/ada/Downloads/as11-40-5874.jpg")
                return state
            case .detail: return states.detail()
            case .search: return states.over(states.search)
            case .help: return states.over(.help(scroll: 0))
            case .settings: return states.over(.settings(SettingsScreen(chosen: .density)))
            case .alert: return states.over(states.alert)
            case .offline: return states.over(states.offline)
            case .save: return states.over(states.save)
            case .savePath: return states.over(states.savePath)
            case .saveAll: return states.over(states.saveAll)
            case .export: return states.over(states.export)
            case .info: return states.info()
            case .cropped:
                var cropped = states
                cropped.preferences.cropsGrid = true
                return cropped.grid()
            case .filter: return states.filtered(by: "lunr surf", isTyping: true)
            case .filtered:
                var grid = states
                grid.preferences.arrangement = .grid
                return grid.filtered(by: "apollo", isTyping: false)
            }
        }
    }

    static let sizes = [(120, 40), (80, 24), (20, 5)]

    @Test(
        "Every screen is unchanged, in three sizes, on every terminal",
        arguments: Setting.allCases.filter { $0 != .light })
    func frames(setting: Setting) throws {
        for example in Example.allCases {
            var text = ""
            for (columns, rows) in Self.sizes {
                let state = example.state(setting.states(columns, rows))
                let styles = Theme().sheet(for: state.traits, chosen: nil).styles(at: state.traits.depth)
                let grid = BrowserView.frame(of: state).grid
                #expect(grid.brokenRows.isEmpty, "\(example) \(setting) \(columns)x\(rows)")
                text += FrameText(grid, styles: styles).text
            }
            try GoldenFile.expect(text, name: "\(example.rawValue)-\(setting.rawValue)")
        }
    }

    enum Layout: String, CaseIterable {
        case detailWide, detailTall, detailSquare, fullWide, fullTall, fullSquare, text, infoFailed, infoRemote
        case zoomedWide, zoomedTall, zoomedFull, slideshow

        func state(_ states: ExampleStates) -> BrowserState {
            switch self {
            case .detailWide: states.detail(width: 6000, height: 4000)
            case .detailTall: states.detail(width: 2000, height: 3000)
            case .detailSquare: states.detail()
            case .fullWide: states.fullScreen(width: 6000, height: 4000)
            case .fullTall: states.fullScreen(width: 2000, height: 3000)
            case .fullSquare: states.fullScreen()
            case .text: states.detail { $0.showsText = true }
            case .zoomedWide: states.zoomed(width: 6000, height: 4000)
            case .zoomedTall: states.zoomed(width: 2000, height: 3000)
            case .zoomedFull: states.zoomed(isFullScreen: true)
            case .slideshow:
                states.detail(width: 6000, height: 4000) {
                    $0.isFullScreen = true
                    $0.slideshow = Slideshow(isPaused: true)
                }
            case .infoFailed: states.info(PhotoFacts(problem: "not supported: GIF", modified: "2024-05-18T09:00:00"))
            case .infoRemote: states.over(.info(InfoScreen(photoID: ExamplePhotos.full.id)), selecting: 0)
            }
        }
    }

    @Test("One photo of any shape is unchanged, in five sizes", arguments: [Setting.dark, .arabic], Layout.allCases)
    func layouts(setting: Setting, layout: Layout) throws {
        var text = ""
        for (columns, rows) in [(80, 24), (100, 30), (120, 40), (200, 60), (20, 5)] {
            let state = layout.state(setting.states(columns, rows))
            let grid = BrowserView.frame(of: state).grid
            #expect(grid.brokenRows.isEmpty, "\(layout) \(setting) \(columns)x\(rows)")
            text += FrameText(grid, styles: ThemeSheet.dark.colors).text
        }
        try GoldenFile.expect(text, name: "\(layout.rawValue)-\(setting.rawValue)")
    }

    /// The settings name the theme.
    @Test(
        "A light theme has the same roles in the same cells as a dark one",
        arguments: Example.allCases.filter { $0 != .settings })
    func light(example: Example) {
        for (columns, rows) in Self.sizes {
            let texts = [Setting.dark, .light].map { setting in
                let state = example.state(setting.states(columns, rows))
                let sheet = Theme().sheet(for: state.traits, chosen: nil)
                #expect(sheet.name == setting.rawValue)
                return FrameText(BrowserView.frame(of: state).grid, styles: sheet.colors).text
            }
            #expect(texts[0] == texts[1])
        }
    }
}
