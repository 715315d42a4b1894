import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("FetchControl", .timeLimit(.minutes(10)))
struct FetchControlTests {
    @Test("Followers hear of every change, and of nothing that is none")
    func changes() {
        let (control, told) = (FetchControl(priority: .near), CallRecorder<FetchPriority>())
        control.onPriorityChange { told.record($0) }
        for priority in [FetchPriority.near, .visible, .visible, .prefetch] { control.priority = priority }
        #expect(told.values == [.visible, .prefetch])
    }

    @Test("What followers hear last is what holds, however two changes meet")
    func order() async {
        let (control, told, gate, isTold) = (
            FetchControl(priority: .prefetch), CallRecorder<FetchPriority>(), Gate(), Gate()
        )
        control.onPriorityChange { priority in
            // The first change is held up here until the second one has been made.
            if priority == .visible {
                isTold.open()
                gate.wait()
            }
            told.record(priority)
        }
        let threads = ThreadPool(count: 1)
        async let first: Void = threads.run { _ in control.priority = .visible }
        try? await ThreadPool(count: 1).run { _ in isTold.wait() }
        control.priority = .near
        gate.open()
        try? await first
        #expect(told.values == [.visible, .near])
        #expect(control.priority == .near)
    }

    @Test("A control in the place of another has its priority, both ways, and its own ear")
    func inPlace() {
        let (outer, told) = (FetchControl(priority: .near), CallRecorder<FetchPriority>())
        let inner = FetchControl(inPlaceOf: outer) { _ in false }
        inner.onPriorityChange { told.record($0) }
        outer.priority = .visible
        #expect(inner.priority == .visible && told.values == [.visible])
        inner.priority = .prefetch
        #expect(outer.priority == .prefetch)
        #expect(inner != outer && outer.onBody == nil && inner.onBody != nil)
    }
}
