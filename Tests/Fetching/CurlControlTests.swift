import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("CurlTransport: control and events", .timeLimit(.minutes(10)))
struct CurlControlTests {
    @Test("A raised priority moves a queued fetch ahead")
    func onPriorityChange() async throws {
        let gate = Gate()
        let server = try LoopbackServer {
            $0.path == "/first" ? .init(text: "x").after(gate) : .init(text: "x")
        }
        let transport = CurlTransport(connections: 1, clock: ManualClock())
        let first = transport.start(server.address("/first"))
        await server.wait { $0.answering == 1 }
        let controls = (0..<4).map { _ in FetchControl(priority: .prefetch) }
        let tasks = controls.enumerated().map { transport.start(server.address("/\($0)"), control: $1) }
        controls[3].priority = .visible
        controls[2].priority = .near
        controls[0].priority = .visible
        controls[0].priority = .prefetch
        gate.open()
        for task in [first] + tasks { _ = try await task.value }
        #expect(server.requests.map(\.path) == ["/first", "/3", "/2", "/0", "/1"])
    }

    @Test("The listener gets the body as it arrives")
    func body() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            .init(length: 6, headers: [("X", "y")], [1, 2, 3], then: .wait(gate), .send([4, 5, 6]))
        }
        let recorder = CallRecorder<[UInt8]>()
        let control = FetchControl(priority: .visible) { part in
            switch part {
            case .started(let status, let headers): recorder.record([UInt8(status), headers["X"] == "y" ? 1 : 0])
            case .bytes(let bytes):
                recorder.record(bytes)
                // Only bytes that arrive before the end open the gate.
                gate.open()
            }
            return true
        }
        let response = try await CurlTransport(clock: ManualClock()).fetch(
            FetchRequest(server.address("/"), control: control))
        #expect(response.body == [1, 2, 3, 4, 5, 6])
        #expect(recorder.values == [[200, 1], [1, 2, 3], [4, 5, 6]])
    }

    @Test("A listener that returns false gets no more, and the fetch continues", arguments: [0, 1])
    func enough(parts: Int) async throws {
        let server = try LoopbackServer { _ in .init(body: [UInt8](repeating: 1, count: 1_000_000)) }
        let recorder = CallRecorder<Int>()
        let control = FetchControl(priority: .visible) { _ in
            recorder.record(1)
            return recorder.values.count <= parts
        }
        let response = try await CurlTransport(clock: ManualClock()).fetch(
            FetchRequest(server.address("/"), control: control))
        #expect(response.body.count == 1_000_000)
        #expect(recorder.values.count == parts + 1)
    }

    @Test("Bodies of redirects, and missing ones, are not reported")
    func redirectIsNotReported() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/from": .redirect(to: "/to")
            case "/none": .init(304)
            default: .init(404, text: "there")
            }
        }
        let recorder = CallRecorder<Int>()
        let control = FetchControl(priority: .visible) { part in
            if case .started(let status, _) = part { recorder.record(status) }
            if case .bytes(let bytes) = part { recorder.record(bytes.count) }
            return true
        }
        let transport = CurlTransport(clock: ManualClock())
        for path in ["/from", "/none"] {
            _ = try await transport.fetch(FetchRequest(server.address(path), control: control))
        }
        #expect(recorder.values == [404, 5])
    }

    @Test("The observer gets requests, responses and cancellations")
    func events() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/from": .redirect(to: "/to")
            case "/stuck": .init(steps: [.stall])
            case "/cut":
                .init(length: 9, [1], then: .close)
            default: .init(text: "there")
            }
        }
        let recorder = CallRecorder<String>()
        let transport = CurlTransport(
            clock: ManualClock(),
            onEvent: { event in
                switch event {
                case .requestSent(let address): recorder.record("sent \(address.path)")
                case .received(let address, let status, let bytes):
                    recorder.record("\(status) \(address.path) \(bytes)")
                case .cancelled(let address): recorder.record("cancelled \(address.path)")
                default: break
                }
            })
        try await transport.get(server.address("/from"))
        await #expect(throws: FetchError.self) { try await transport.get(server.address("/cut")) }
        let stuck = transport.start(server.address("/stuck"))
        await server.wait { $0.answering == 1 }
        stuck.cancel()
        await #expect(throws: CancellationError.self) { try await stuck.value }
        await transport.shutDown()
        #expect(
            recorder.values == [
                "sent /from", "302 /from 0", "sent /to", "200 /to 5", "sent /cut", "200 /cut 1", "sent /stuck",
                "cancelled /stuck",
            ])
    }
}

@Suite("FetchControl", .timeLimit(.minutes(10)))
struct FetchControlTests {
    @Test("Observers get every change, and nothing else")
    func changes() {
        let (control, recorder) = (FetchControl(priority: .near), CallRecorder<FetchPriority>())
        control.onPriorityChange { recorder.record($0) }
        for priority in [FetchPriority.near, .visible, .visible, .prefetch] { control.priority = priority }
        #expect(recorder.values == [.visible, .prefetch])
    }

    @Test("Observers get the final value last, also of concurrent changes")
    func order() async {
        let (control, recorder, gate, isRecorded) = (
            FetchControl(priority: .prefetch), CallRecorder<FetchPriority>(), Gate(), Gate()
        )
        control.onPriorityChange { priority in
            // The first change is held up here until the second one has been made.
            if priority == .visible {
                isRecorded.open()
                gate.wait()
            }
            recorder.record(priority)
        }
        let threads = ThreadPool(count: 1)
        async let first: Void = threads.run { _ in control.priority = .visible }
        try? await ThreadPool(count: 1).run { _ in isRecorded.wait() }
        control.priority = .near
        gate.open()
        try? await first
        #expect(recorder.values == [.visible, .near])
        #expect(control.priority == .near)
    }

    @Test("A replacing control shares the priority and has its own listener")
    func inPlace() {
        let (outer, recorder) = (FetchControl(priority: .near), CallRecorder<FetchPriority>())
        let inner = FetchControl(inPlaceOf: outer) { _ in false }
        inner.onPriorityChange { recorder.record($0) }
        outer.priority = .visible
        #expect(inner.priority == .visible && recorder.values == [.visible])
        inner.priority = .prefetch
        #expect(outer.priority == .prefetch)
        #expect(inner != outer && outer.onBody == nil && inner.onBody != nil)
    }
}
