import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Saving an original")
struct SavingTests {
    private var address: WebAddress { get throws { try #require(samplePhoto(0).renditions.last?.address) } }

    @Test("Size and folder come first, Enter saves, progress and path follow")
    func whole() throws {
        var state = BrowserState.listing { $0.downloadFolder = "/home/me/Downloads" }
        #expect(state.press("s").deliberate == [.loadDetails(generation: 1, samplePhoto(0))])
        #expect(state.details(of: samplePhoto(0)).deliberate == [.askSize(try address, .publicService)])
        #expect(state.save?.path == "/home/me/Downloads/id-0.jpg" && state.save?.stage == .asking)
        #expect(state.press("\r").isEmpty)
        _ = state.update(.save(.size(1234)))
        #expect(state.save?.stage == .ready(bytes: 1234))
        #expect(
            state.press("\r").deliberate == [
                .save(try address, .publicService, path: "/home/me/Downloads/id-0.jpg")
            ])
        _ = state.update(.save(.progress(received: 100, bytes: nil)))
        #expect(state.save?.stage == .saving(received: 100, bytes: 1234))
        _ = state.update(.save(.done(path: "/home/me/Downloads/id-0 (1).jpg")))
        #expect(state.top == .list && state.notice == .saved(path: "/home/me/Downloads/id-0 (1).jpg"))
    }

    @Test("It can be left at every stage, which cancels the work")
    func cancelled() {
        for (events, effects) in [
            ([], [.cancelSave]), ([SaveEvent.size(nil)], []),
        ] as [([SaveEvent], [BrowserEffect])] {
            var state = BrowserState.detailing()
            state.press("s")
            _ = state.details(of: samplePhoto(0))
            for event in events { _ = state.update(.save(event)) }
            #expect(state.press("\u{1B}").deliberate == effects)
            #expect(state.detail != nil)
        }
        var state = BrowserState.detailing()
        state.press("s")
        _ = state.details(of: samplePhoto(0))
        _ = state.update(.save(.size(nil)))
        state.press("\r")
        #expect(state.press("q").deliberate == [.cancelSave])
        _ = state.update(.save(.cancelled))
        #expect(state.detail != nil && state.notice == .saveCancelled)
    }

    @Test("Late events of a cancelled save change no screen")
    func late() {
        var state = BrowserState.listing()
        for event in [SaveEvent.size(3), .progress(received: 1, bytes: 2), .failed(gone)] {
            #expect(state.update(.save(event)).isEmpty)
        }
        #expect(state.top == .list)
        _ = state.update(.save(.done(path: "x.jpg")))
        #expect(state.notice == .saved(path: "x.jpg"))
    }

    @Test("A failure is an alert, and a retry requests the size again")
    func failed() throws {
        var state = BrowserState.listing()
        state.press("sr")
        let refreshed = answer(5..<100, first: 0, of: 95, isAtStart: true)
        state.press("\u{1B}rs")
        _ = state.details(of: samplePhoto(0))
        let screen = try #require(state.save)
        _ = state.update(.save(.size(3)))
        state.press("\r")
        let saving = try #require(state.save)
        _ = state.update(.save(.failed(gone)))
        #expect(state.topAlert?.subject == .save(saving) && state.topAlert?.error.reason == gone.reason)
        // The selection has changed since.
        _ = state.update(.page(generation: 2, .next, .success(refreshed)))
        #expect(state.list?.photo(at: 0)?.id == "id-5")
        #expect(state.press("\r").deliberate == [.askSize(try address, .publicService)])
        #expect(state.save == screen)
        _ = state.update(.save(.size(3)))
        state.press("\r")
        _ = state.update(.save(.failed(gone)))
        state.press("\u{1B}")
        #expect(state.top == .list)
    }

    @Test("The late end of one save does not end the next")
    func next() {
        var state = BrowserState.listing()
        state.press("s")
        _ = state.details(of: samplePhoto(0))
        _ = state.update(.save(.size(1)))
        state.press("\r\u{1B}js")
        // This photo's files are unknown.
        _ = state.update(.save(.size(1)))
        #expect(state.save?.stage == .asking)
        _ = state.details(of: samplePhoto(1))
        for event in [SaveEvent.progress(received: 1, bytes: 1), .failed(gone), .cancelled, .done(path: "x.jpg")] {
            _ = state.update(.save(event))
            #expect(state.save?.path == "id-1.jpg" && state.save?.stage == .asking)
        }
        // A late size of the previous photo, then its own.
        _ = state.update(.save(.size(1)))
        _ = state.update(.save(.size(2)))
        #expect(state.save?.stage == .ready(bytes: 2))
    }

    @Test("From the list the photo's files are requested first")
    func fromList() throws {
        var state = BrowserState.listing()
        var preview = samplePhoto(0)
        preview.renditions.removeAll()
        state.list?.photos[0] = preview
        #expect(state.press("s").deliberate == [.loadDetails(generation: 1, preview)])
        #expect(state.save?.stage == .asking && state.save?.address == nil)
        #expect(state.press("\r").isEmpty)
        #expect(state.details(of: samplePhoto(5)).deliberate.isEmpty)
        #expect(state.details(of: samplePhoto(0)).deliberate == [.askSize(try address, .publicService)])
        _ = state.update(.save(.size(9)))
        state.press("\u{1B}")
        #expect(state.press("s").deliberate == [.askSize(try address, .publicService)])
    }

    @Test("Without the files a notice is shown and the largest known offered")
    func filesUnknown() throws {
        var state = BrowserState.listing()
        var preview = samplePhoto(0)
        preview.renditions.removeAll()
        state.list?.photos[0] = preview
        state.press("s")
        let effects = state.update(.details(generation: 1, photoID: "id-0", .failure(gone)))
        #expect(effects.deliberate == [.askSize(try #require(preview.thumbnail), .publicService)])
        #expect(state.notice == .problem(gone.reason) && state.save?.stage == .asking)
        // Late results open nothing.
        state.press("\u{1B}js\u{1B}")
        #expect(state.details(of: samplePhoto(1)).deliberate.isEmpty)
        #expect(state.top == .list)
    }

    @Test("Quitting cancels the save")
    func quit() {
        var state = BrowserState.listing()
        state.press("s")
        #expect(state.press(.character("c"), .control).deliberate.contains(.cancelSave))
    }

    @Test("The original is the source's, else the largest image, else the preview")
    func originals() throws {
        var photo = samplePhoto(1)
        photo.mediaType = .video
        photo.renditions.insert(Rendition(try #require(WebAddress("https://h.example/1~orig.mp4"))), at: 0)
        #expect(photo.original?.path == "/1~orig.jpg")
        photo.renditions[3].rel = nil
        #expect(photo.original?.path == "/1~orig.jpg")
        photo.renditions.removeLast()
        #expect(photo.original?.path == "/1~medium.jpg")
        photo.renditions.removeAll()
        #expect(photo.original == photo.thumbnail)
    }
}
