internal import SpyglassFetching
internal import SpyglassThreads

/// The response that parts of an image were last decoded from: other parts of it need no transfer.
///
/// Thread-safe. Its bytes stay reserved in the work memory.
final class CachedOriginal: Sendable {
    private struct Original {
        let address: WebAddress
        let trust: AddressTrust
        let response: FetchResponse
    }

    private let state = Mutex<Original?>(nil)

    /// Returns the response to a request for a part; releases that of another address.
    func response(to key: TransferKey) -> FetchResponse? {
        // Release its references after unlocking.
        let (response, _) = state.withLock { original -> (FetchResponse?, Original?) in
            if let original, original.address == key.address, original.trust == key.trust, !key.revalidates {
                return (original.response, nil)
            }
            defer { original = nil }
            return (nil, original)
        }
        return response
    }

    /// Keeps a response unless the task was cancelled: then no caller would release it.
    func keep(_ response: FetchResponse, to key: TransferKey) {
        let new = Original(address: key.address, trust: key.trust, response: response)
        _ = state.withLock { original -> Original? in
            guard !Task.isCancelled else { return nil }
            defer { original = new }
            return original
        }
    }

    func release() {
        _ = state.withLock { original -> Original? in
            defer { original = nil }
            return original
        }
    }
}
