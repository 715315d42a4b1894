import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("FetchControl", .timeLimit(.minutes(10)))
struct FetchControlTests {
    private final class Told: Sendable {
        private let list = Mutex<[FetchPriority]>([])
        var priorities: [FetchPriority] { list.withLock(\.self) }
        func hear(_ priority: FetchPriority) { list.withLock { $0.append(priority) } }
    }

    @Test("Followers hear of every change, and of nothing that is none")
    func changes() {
        let (control, told) = (FetchControl(priority: .near), Told())
        control.onPriorityChange { told.hear($0) }
        for priority in [FetchPriority.near, .visible, .visible, .prefetch] { control.priority = priority }
        #expect(told.priorities == [.visible, .prefetch])
    }

    @Test("What followers hear last is what holds, however two changes meet")
    func order() async {
        let (control, told, gate, isTold) = (FetchControl(priority: .prefetch), Told(), Gate(), Gate())
        control.onPriorityChange { priority in
            // The first change is held up here until the second one has been made.
            if priority == .visible {
                isTold.open()
                gate.wait()
            }
            told.hear(priority)
        }
        let threads = ThreadPool(count: 1)
        async let first: Void = threads.run { _ in control.priority = .visible }
        try? await ThreadPool(count: 1).run { _ in isTold.wait() }
        control.priority = .near
        gate.open()
        try? await first
        #expect(told.priorities == [.visible, .near])
        #expect(control.priority == .near)
    }

    @Test("A control in the place of another has its priority, both ways, and its own ear")
    func inPlace() {
        let (outer, told) = (FetchControl(priority: .near), Told())
        let inner = FetchControl(inPlaceOf: outer) { _ in false }
        inner.onPriorityChange { told.hear($0) }
        outer.priority = .visible
        #expect(inner.priority == .visible && told.priorities == [.visible])
        inner.priority = .prefetch
        #expect(outer.priority == .prefetch)
        #expect(inner != outer && outer.onBody == nil && inner.onBody != nil)
    }
}
