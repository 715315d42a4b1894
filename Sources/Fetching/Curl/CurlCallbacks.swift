internal import SpyglassCCurl

// Functions that libcurl calls on the loop's thread; the context is the transfer's `CurlEasyHandle`.

/// The handle of a callback's context or of `CURLOPT_PRIVATE`, which the loop keeps.
func easyHandle(_ context: UnsafeMutableRawPointer) -> Unmanaged<CurlEasyHandle> { .fromOpaque(context) }

private func octets(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count).assumingMemoryBound(to: UInt8.self)
}

/// `CURLOPT_HEADERFUNCTION`: one header line; any result but `count` ends the transfer.
func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer
) -> Int {
    easyHandle(context)._withUnsafeGuaranteedRef { $0.take(header: octets(bytes, count)) } ? count : 0
}

/// `CURLOPT_WRITEFUNCTION`: a chunk of the body; any result but `count` ends or pauses the transfer.
func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer
) -> Int {
    switch easyHandle(context)._withUnsafeGuaranteedRef({ $0.take(body: octets(bytes, count)) }) {
    case .accepted: count
    case .paused: Int(SG_WRITE_PAUSE)
    case .refused: 0
    }
}

/// `CURLOPT_OPENSOCKETFUNCTION`, before a socket is created.
func checkConnection(_ context: UnsafeMutableRawPointer, _ socketAddress: UnsafeRawPointer, _ size: Int) -> Int32 {
    easyHandle(context)._withUnsafeGuaranteedRef {
        $0.mayConnect(to: UnsafeRawBufferPointer(start: socketAddress, count: size)) ? 1 : 0
    }
}

/// `CURLOPT_PREREQFUNCTION`, before a request on a new or reused connection.
func checkRequest(
    _ context: UnsafeMutableRawPointer, _ remoteIP: UnsafeMutablePointer<CChar>?,
    _ localIP: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    let isAllowed = easyHandle(context)._withUnsafeGuaranteedRef {
        $0.mayAsk(remoteIP.map { String(cString: $0) } ?? "", port: Int(remotePort))
    }
    return Int32(isAllowed ? SG_PREREQ_OK : SG_PREREQ_ABORT)
}
