import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

@Suite("PictureLoader: parts of images", .timeLimit(.minutes(10)))
struct PictureLoaderTests {
    private static let box = CellSize(clamping: 40, 20)
    private static let left = ImageRegion(x: 0, y: 0, width: 0.5, height: 1)
    private static let right = ImageRegion(x: 0.5, y: 0, width: 0.5, height: 1)

    private let queue = EventQueue()
    private let whole: PictureKey
    private let address: WebAddress

    init() throws {
        address = try #require(WebAddress("http://pictures.example/1.png"))
        whole = PictureKey(address: address, box: Self.box, isFull: true)
    }

    /// An image whose left half is red and whose right half is blue.
    private static func body() throws -> [UInt8] {
        var pixels = PixelBuffer(size: PixelSize(width: 80, height: 40))
        for y in 0..<40 { for x in 0..<80 { pixels[x, y] = x < 40 ? RGBA(255, 0, 0) : RGBA(0, 0, 255) } }
        return try ImageEncoder(.png).encode(pixels)
    }

    private static func transport(gate: AsyncGate? = nil) throws -> ScriptedTransport {
        let body = try body()
        return ScriptedTransport(gate: gate) { request, _ in
            FetchResponse(address: request.address, status: 200, body: body, origin: .archive)
        }
    }

    private func loader(_ transport: any Transport, pixels: PixelMode = .half) -> PictureLoader {
        var traits = TerminalTraits(size: .standard)
        traits.pixels = pixels
        traits.cellPixels = PixelSize(width: 10, height: 20)
        let codecs = PixelCodecs(png: { _ in [1] }, jpeg: { _, _ in [1] })
        var loader = PictureLoader(traits, codecs, queue)
        loader.use(ImagePipeline(transport: transport))
        return loader
    }

    private func part(_ region: ImageRegion) -> PictureKey {
        var key = whole
        key.region = region
        return key
    }

    private func requests(_ key: PictureKey) -> PictureRequests {
        PictureRequests(visible: [PictureRequest(key: key, coarse: key == whole ? [] : [whole])])
    }

    /// Requests a picture and waits for all that is delivered of it, its progress left out.
    private func deliver(_ key: PictureKey, _ loader: inout PictureLoader) async -> [Picture] {
        var pictures = loader.setRequests(requests(key)).compactMap { event -> Picture? in
            if case .picture(key, let picture) = event { picture } else { nil }
        }
        while pictures.last?.isDone != true {
            for case .picture(key, let picture, let load, let isLast) in await queue.next()
            where loader.accept(key, load: load, isLast: isLast) {
                pictures.append(picture)
            }
        }
        return pictures
    }

    private func colors(_ picture: Picture?) -> Set<CellColor> {
        guard case .shown(let image, _, _, _)? = picture else { return [] }
        return Set(
            image.cells.flatMap { cell in
                cell.scalar == Cell.space ? [cell.style.background] : [cell.style.foreground, cell.style.background]
            })
    }

    @Test("A part is shown at once, cut out of the whole image, and then sharp")
    func coarse() async throws {
        var loader = loader(try Self.transport())
        _ = await deliver(whole, &loader)
        let pictures = await deliver(part(Self.right), &loader)
        #expect(pictures.map(\.isDone) == [false, true] && colors(pictures.last) == [.rgb(RGB(0, 0, 255))])
        #expect(pictures.first?.facts?.size == PixelSize(width: 80, height: 40))
        #expect(pictures.last?.facts?.size == PixelSize(width: 80, height: 40))
        guard case .shown(let first, _, _, _)? = pictures.first, case .shown(let last, _, _, _)? = pictures.last else {
            Issue.record("nothing is shown")
            return
        }
        #expect(first.columns == last.columns && first.rows == last.rows)
    }

    @Test("Parts of one address need one transfer until no part is requested")
    func transfers() async throws {
        let transport = try Self.transport()
        var loader = loader(transport)
        _ = await deliver(part(Self.left), &loader)
        _ = await deliver(part(Self.right), &loader)
        #expect(transport.count == 1)
        _ = await deliver(whole, &loader)
        #expect(transport.count == 2)
        _ = await deliver(part(ImageRegion(x: 0.25, y: 0, width: 0.5, height: 1)), &loader)
        #expect(transport.count == 3)
    }

    @Test("A step to another part continues the transfer, and leaving ends it")
    func steps() async throws {
        let transport = try Self.transport(gate: AsyncGate())
        var loader = loader(transport)
        _ = loader.setRequests(requests(part(Self.left)))
        await transport.waitForRequests(1)
        _ = loader.setRequests(requests(part(Self.right)))
        #expect(transport.count == 1 && transport.cancelled.isEmpty)
        _ = loader.setRequests(PictureRequests())
        await transport.waitForCancellations { $0.count == 1 }
        #expect(transport.count == 1)
    }

    @Test("The progress of a part's transfer is an event of its key")
    func progress() async throws {
        let chunk = [UInt8](repeating: 0, count: 100)
        let body = try Self.body()
        let gate = AsyncGate()
        let transport = ScriptedTransport(gate: gate) { request, _ in
            let length = HeaderFields([HeaderFields.Field(name: "Content-Length", value: "100")])
            _ = request.control?.onBody?(.started(status: 200, headers: length))
            _ = request.control?.onBody?(.bytes(chunk))
            return FetchResponse(address: request.address, status: 200, body: body, origin: .archive)
        }
        var loader = loader(transport)
        let key = part(Self.left)
        _ = loader.setRequests(requests(key))
        gate.open()
        var reports: [ImageTask.Progress] = []
        while reports.count < 2 {
            for case .progress(key, let progress, _) in await queue.next() { reports.append(progress) }
        }
        #expect(reports == [0, 100].map { ImageTask.Progress(received: $0, total: 100) })
    }

    @Test("Where the terminal draws pixels, a part is characters first")
    func pixels() async throws {
        var loader = loader(try Self.transport(), pixels: .kitty)
        let pictures = await deliver(part(Self.left), &loader)
        let payloads = pictures.map { picture in
            if case .shown(let image, _, _, _) = picture { image.payload != nil } else { false }
        }
        #expect(payloads == [false, true] && pictures.map(\.isDone) == [false, true])
    }
}

extension Picture {
    fileprivate var isDone: Bool { isFinal || hasFailed }
}
