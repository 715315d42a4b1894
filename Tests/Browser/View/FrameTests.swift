import SpyglassCatalog
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

/// `Frames` has a file a screen: one frame in colour, and a narrow one in ASCII.
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
        case home, pictures, mistake, search, list, lines, end, nothing, broken, grid, cropped, marks, filter, filtered
        case folder, emptyFolder
        case detail, detailWide, detailTall, text, fullWide, fullTall, slideshow, zoomedWide, zoomedTall, zoomedFull
        case command, trash, help, settings, alert, offline, save, savePath, saveAll, export, info, infoFailed,
            infoRemote

        /// The screens where nothing covers the images.
        static let uncovered: [Example] = [
            .pictures, .list, .lines, .end, .grid, .cropped, .marks, .detail, .detailWide, .detailTall, .fullWide,
            .fullTall, .zoomedWide, .zoomedTall, .zoomedFull,
        ]

        func state(_ states: ExampleStates) -> AppState {
            var grid = states
            grid.preferences.arrangement = .grid
            switch self {
            case .home: return states.home()
            case .pictures: return states.homePictures(SearchScreen(choice: states.homePictures().choices.count - 2))
            case .mistake:
                var search = SearchScreen(field: TextField("colour:red 火星"))
                search.mistake = .unknownFilter("colour", known: ["center", "year", "photographer"])
                return states.home(search)
            case .search: return states.over(states.search)
            case .list: return states.list()
            case .lines: return states.lines()
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
            case .grid: return states.grid()
            case .cropped:
                grid.preferences.cropsGrid = true
                return grid.grid()
            case .marks: return states.marks()
            case .filter: return states.filtered(by: "lunr surf", isTyping: true)
            case .filtered: return grid.filtered(by: "apollo", isTyping: false)
            case .folder: return states.folder(ExampleFolder())
            case .emptyFolder: return states.folder(ExampleFolder(folders: 0, pictures: 0))
            case .detail: return states.detail()
            case .detailWide: return states.detail(width: 6000, height: 4000)
            case .detailTall: return states.detail(width: 2000, height: 3000)
            case .text: return states.detail { $0.showsText = true }
            case .fullWide: return states.fullScreen(width: 6000, height: 4000)
            case .fullTall: return states.fullScreen(width: 2000, height: 3000)
            case .slideshow:
                return states.detail(width: 6000, height: 4000) {
                    $0.isFullScreen = true
                    $0.slideshow = Slideshow(isPaused: true)
                }
            case .zoomedWide: return states.zoomed(width: 6000, height: 4000)
            case .zoomedTall: return states.zoomed(width: 2000, height: 3000)
            case .zoomedFull: return states.zoomed(isFullScreen: true)
            case .command: return states.over(.command(CommandScreen(field: TextField("cp -t '~/the best' {}"))))
            case .trash:
                let photos = (1...12).map { ExampleFolder().photo("DSC_\($0).jpg") }
                return states.over(.trash(TrashScreen(photos: photos)))
            case .help: return states.over(.help(HelpScreen()))
            case .settings: return states.over(.settings(SettingsScreen(chosen: .density)))
            case .alert: return states.over(states.alert)
            case .offline: return states.over(states.offline)
            case .save: return states.over(states.save)
            case .savePath: return states.over(states.savePath)
            case .saveAll: return states.over(states.saveAll)
            case .export: return states.over(states.export)
            case .info: return states.info()
            case .infoFailed:
                return states.info(PhotoFacts(problem: "not supported: GIF", modified: "2024-05-18T09:00:00"))
            case .infoRemote: return states.over(.info(InfoScreen(photoID: ExamplePhotos.full.key)), selecting: 0)
            }
        }
    }

    @Test("Every screen is unchanged, in colour and as narrow ASCII", arguments: Example.allCases)
    func frames(example: Example) throws {
        var text = ""
        for (setting, columns, rows) in [(Setting.dark, 100, 30), (.ascii, 40, 12)] {
            let state = example.state(setting.states(columns, rows))
            let styles = state.sheet.styles(at: state.traits.depth)
            text += FrameText(state.grid, styles: styles).text
        }
        try GoldenFile.expect(text, name: example.rawValue)
    }

    private static let sizes = [(120, 40), (80, 24), (60, 12), (20, 5)]

    @Test("No row has half a wide character, on any terminal", arguments: Setting.allCases)
    func widths(setting: Setting) {
        for example in Example.allCases {
            for (columns, rows) in Self.sizes {
                let grid = BrowserView.frame(of: example.state(setting.states(columns, rows))).grid
                #expect(grid.brokenRows.isEmpty, "\(example) \(columns)x\(rows)")
            }
        }
    }

    @Test("Right-to-left, images are where left-to-right ones are mirrored", arguments: Example.uncovered)
    func mirroring(example: Example) {
        for (columns, rows) in Self.sizes {
            let grids = [Setting.dark, .arabic].map {
                BrowserView.frame(of: example.state($0.states(columns, rows))).grid
            }
            let images = grids.map { grid in
                Set((0..<columns * rows).filter { grid.cells[$0].isImage })
            }
            let mirrored = Set(images[0].map { $0 / columns * columns + columns - 1 - $0 % columns })
            #expect(images[1] == mirrored, "\(columns)x\(rows)")
        }
    }

    /// The settings name the depth and the theme.
    private static let unnamed = Example.allCases.filter { $0 != .settings }

    @Test("A depth changes no text and no position of an image", arguments: unnamed)
    func depths(example: Example) {
        for (columns, rows) in Self.sizes {
            let texts = [Setting.dark, .unknown, .sixteen].map { setting in
                let grid = BrowserView.frame(of: example.state(setting.states(columns, rows))).grid
                return grid.cells.map { $0.isImage || grid.string(of: $0) == "░" ? "" : grid.string(of: $0) }
            }
            for (index, (one, others)) in zip(texts[0], zip(texts[1], texts[2])).enumerated() {
                guard [one, others.0, others.1].contains(where: { $0 != " " && $0 != "" }) else { continue }
                #expect(one == others.0 && one == others.1, "\(index % columns), \(index / columns)")
            }
        }
    }

    @Test("A light theme has the same roles in the same cells as a dark one", arguments: unnamed)
    func light(example: Example) {
        for (columns, rows) in Self.sizes {
            let texts = [Setting.dark, .light].map { setting in
                let state = example.state(setting.states(columns, rows))
                #expect(state.sheet.name == setting.rawValue)
                return FrameText(state.grid, styles: state.sheet.colors).text
            }
            #expect(texts[0] == texts[1])
        }
    }
}
