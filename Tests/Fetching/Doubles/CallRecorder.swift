import SpyglassThreads

/// Records values in order.
final class CallRecorder<Element: Sendable>: Sendable {
    private let list = Mutex<[Element]>([])
    var elements: [Element] { list.withLock(\.self) }
    func record(_ element: Element) { list.withLock { $0.append(element) } }
}
