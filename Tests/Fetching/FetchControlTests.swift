import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

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
