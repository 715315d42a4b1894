import SpyglassCatalog
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

/// A photo with a preview, three renditions of known size and a page.
func samplePhoto(_ number: Int, hasThumbnail: Bool = true) -> Photo {
    let usual = defaultPhotos
    return hasThumbnail && usual.indices.contains(number)
        ? usual[number] : makePhoto(number, hasThumbnail: hasThumbnail)
}

/// Shared, since the random walk needs millions.
private let defaultPhotos = (0..<1600).map { makePhoto($0, hasThumbnail: true) }

private func makePhoto(_ number: Int, hasThumbnail: Bool) -> Photo {
    var photo = Photo(id: "id-\(number)", source: "nasa")
    photo.title = "Photo \(number)"
    photo.page = WebAddress("https://page.example/\(number)")
    guard hasThumbnail else { return photo }
    photo.thumbnail = WebAddress("https://host.example/\(number)~thumb.jpg")
    for (name, width) in [("thumb", 320), ("medium", 800), ("orig", 4000)] {
        guard let address = WebAddress("https://host.example/\(number)~\(name).jpg") else { continue }
        photo.renditions.append(
            Rendition(address, width: width, height: width * 2 / 3, rel: name == "orig" ? "canonical" : nil))
    }
    return photo
}

/// A page of photos with these positions.
func answer(
    _ positions: Range<Int>, first: Int? = nil, of total: Int = 10_000, isAtStart: Bool? = nil, isAtEnd: Bool? = nil
) -> PageAnswer {
    PageAnswer(
        photos: positions.map { samplePhoto($0) }, firstPosition: first, total: .exact(total),
        isAtStart: isAtStart ?? (positions.lowerBound == 0), isAtEnd: isAtEnd ?? (positions.upperBound >= total))
}

extension AppState {
    /// The home screen.
    static func fresh(
        columns: Int = 120, rows: Int = 40, _ change: (inout BrowserOptions) -> Void = { _ in }
    ) -> AppState {
        var options = BrowserOptions()
        change(&options)
        return AppState(traits: TerminalTraits(size: CellSize(clamping: columns, rows)), options: options)
    }

    /// The list of the first hundred results of "apollo".
    static func listing(
        _ count: Int = 100, of total: Int = 10_000, columns: Int = 120, rows: Int = 40,
        _ change: (inout BrowserOptions) -> Void = { _ in }
    ) -> AppState {
        var state = fresh(columns: columns, rows: rows, change)
        _ = state.update(.started(search: "apollo", at: .first))
        _ = state.update(.page(generation: state.generation, .next, .success(answer(0..<count, first: 0, of: total))))
        return state
    }

    /// The detail screen of its first photo.
    static func detailing() -> AppState {
        var state = listing()
        state.press("\r")
        return state
    }

    /// Delivers the details of a photo.
    mutating func details(of photo: Photo) -> [BrowserEffect] {
        update(.details(generation: generation, photoID: photo.key, .success(photo)))
    }

    /// Presses characters; a line break is Enter, an escape Escape.
    @discardableResult
    mutating func press(_ keys: String) -> [BrowserEffect] {
        keys.flatMap { character in
            switch character {
            case "\r", "\n": press(.enter)
            case "\u{1B}": press(.escape)
            default: press(.character(character))
            }
        }
    }

    @discardableResult
    mutating func press(_ code: Key.Code, _ modifiers: Key.Modifiers = []) -> [BrowserEffect] {
        update(.input(.key(Key(code, modifiers))))
    }

    /// Delivers the next page.
    @discardableResult
    mutating func nextPage(_ count: Int = 100, of total: Int = 10_000) -> [BrowserEffect] {
        let start = list?.loaded.upperBound ?? 0
        return update(
            .page(
                generation: generation, .next, .success(answer(start..<min(start + count, total), of: total))))
    }

    /// Presses keys one after another; returns a value of the state after each.
    mutating func values<Value>(after keys: [String], _ value: (AppState) -> Value) -> [Value] {
        keys.map { keys in
            press(keys)
            return value(self)
        }
    }

    mutating func values<Value>(after codes: [Key.Code], _ value: (AppState) -> Value) -> [Value] {
        codes.map { code in
            press(code)
            return value(self)
        }
    }

    /// Presses keys one after another; returns the selected position after each.
    mutating func selections(after keys: String...) -> [Int?] { values(after: keys, \.selected) }

    /// Delivers a final image.
    @discardableResult
    mutating func show(_ key: PictureKey, _ facts: PictureFacts = PictureFacts()) -> [BrowserEffect] {
        update(.picture(key, .shown(.sample, facts, isFinal: true, isStale: false)))
    }

    mutating func fail(_ key: PictureKey, _ failure: FailureKind) { _ = update(.picture(key, .failed(failure))) }

    /// The requested images.
    var visible: [PictureRequest] { images.requests.visible }
    var near: [PictureRequest] { images.requests.near }
    var ahead: [PictureRequest] { images.requests.ahead }

    /// The most urgent requested image; a test without any fails.
    var firstKey: PictureKey {
        if visible.isEmpty { Issue.record("no image is requested") }
        return visible.first?.key ?? PictureKey(source: .bytes([]), box: CellSize(clamping: 1, 1))
    }

    var selected: Int? { list?.selected }
    var detail: DetailScreen? { if case .detail(let screen) = top { screen } else { nil } }
    /// The position of the photo in full, while no other screen covers it.
    var detailPosition: Int? { detail == nil ? nil : list?.selected }
    var save: SaveScreen? { if case .save(let screen) = top { screen } else { nil } }
    var info: InfoScreen? { if case .info(let screen) = top { screen } else { nil } }
    var settings: SettingsScreen? { if case .settings(let screen) = top { screen } else { nil } }
    var topAlert: Alert? { if case .alert(let alert) = top { alert } else { nil } }
    /// The choices of the home screen's empty field.
    var choices: [SearchChoice] { choices(of: SearchScreen()) }
    var searchText: String? { searchField?.field.text }
    /// The actions that the footer names.
    var hints: [Action] { KeyHints(state: self, strings: UIStrings(.english), glyphs: .utf8).hints.flatMap(\.actions) }

    // MARK: The screen

    var grid: CellGrid { BrowserView.frame(of: self).grid }
    var rows: [String] { grid.rows }
    var header: String { grid.text(ofRow: 0) }
    var lastRow: String { grid.text(ofRow: traits.size.rows - 1) }
    /// The text of the whole screen.
    var drawing: String { rows.joined(separator: "\n") }
}

extension CellGrid {
    var rows: [String] { (0..<size.rows).map { text(ofRow: $0) } }
}

extension KeyTable {
    static func action(for key: Key, in scope: KeyScope) -> Action? { KeyMap.standard.action(for: key, in: scope) }
}

extension Action {
    /// All actions, in the order of the key table.
    static var withKeys: [Action] {
        var seen: Set<Action> = []
        return KeyTable.bindings.map(\.action).filter { seen.insert($0).inserted }
    }
}

extension BrowserEffect {
    /// A search in the usual source, if no other is named.
    static func searching(
        _ generation: Int, _ text: String = "apollo", in source: String = "nasa", at position: Int,
        revalidates: Bool = false
    ) -> BrowserEffect {
        .search(
            generation: generation, PhotoQuery(text), source: source, start: .position(position),
            revalidates: revalidates)
    }
}

extension [BrowserEffect] {
    /// The sources of new searches.
    var searchedSources: [String] {
        compactMap { if case .search(_, _, let source, _, _) = $0 { source } else { nil } }
    }

    /// The pages that are requested.
    var pages: [PageDirection] { compactMap { if case .loadPage(_, let direction) = $0 { direction } else { nil } } }

    /// Without image requests and the spinner, which nearly every event changes.
    var deliberate: [BrowserEffect] {
        filter { effect in
            switch effect {
            case .requestPictures, .readFiles, .timer(.spinner, _), .timer(.notice, _): false
            default: true
            }
        }
    }

    var requests: PictureRequests? {
        compactMap { if case .requestPictures(let requests) = $0 { requests } else { nil } }.last
    }
}

extension PhotoList {
    /// Whether the awaited page replaces the photos.
    var isRefreshing: Bool { awaited != nil && !photos.isEmpty }
}

let gone = BrowserError(reason: "nasa: no answer")

extension Picture {
    /// The image of one black cell.
    static let sample = Picture.shown(.sample, isFinal: true, isStale: false)
    static let coarse = Picture.shown(.sample, isFinal: false, isStale: false)
}
extension CellImage {
    /// One black cell.
    static let sample: CellImage = {
        var blocks = SymbolEncoder(depth: .truecolor)
        return blocks.cells(of: PixelBuffer(size: PixelSize(width: 1, height: 2)))
    }()
}

extension RecentSearch: ExpressibleByStringInterpolation {
    /// Creates a search of any source.
    public init(stringLiteral text: String) { self.init(text) }
}

extension PictureKey {
    init(address: WebAddress, box: CellSize, isFull: Bool = false) {
        self.init(source: .address(address, .publicAddresses), box: box, isFull: isFull)
    }

    /// Another photo's for a file.
    var address: WebAddress { source.address ?? samplePhoto(0).renditions[0].address }
}

extension ImageSource {
    var address: WebAddress? { if case .address(let address, _) = self { address } else { nil } }
}
