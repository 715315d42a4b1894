internal import Glibc
internal import SpyglassCSandbox
package import SpyglassFiles

/// One end of a connection to another process, which sends whole messages (`SOCK_SEQPACKET`); closed at the end of its life.
package struct MessageSocket: ~Copyable, Sendable {
    package let descriptor: FileDescriptor

    /// The longest message of either end.
    package static let maxBytes = 32 << 10

    package init(owning number: Int32) { descriptor = FileDescriptor(owning: number) }

    /// Two connected ends (`socketpair`), which no started program inherits.
    package static func pair() throws(FileError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        try checked("socketpair") { sg_socket_pair(&ends) }
        return (ends[0], ends[1])
    }

    /// Sends one message with up to four descriptors (`sendmsg`); throws `EPIPE` if the other end is closed.
    package func send(_ bytes: [UInt8], descriptors: [Int32] = []) throws(FileError) {
        let count = try checked("sendmsg") {
            sg_socket_send(descriptor.number, bytes, bytes.count, descriptors, Int32(descriptors.count))
        }
        guard count == bytes.count else { throw FileError("sendmsg", code: EMSGSIZE) }
    }

    /// Waits for one message with `recvmsg`.
    ///
    /// Empty at the end. The caller owns the descriptors, four at most.
    package func receive() throws(FileError) -> (bytes: [UInt8], descriptors: [Int32]) {
        var descriptors: [Int32] = [-1, -1, -1, -1]
        var descriptorCount: Int32 = 0
        let bytes = try [UInt8](unsafeUninitializedCapacity: Self.maxBytes) { (buffer, count) throws(FileError) in
            count = try checked("recvmsg") {
                sg_receive_message(
                    descriptor.number, buffer.baseAddress, buffer.count, &descriptors, &descriptorCount)
            }
        }
        return (bytes, Array(descriptors[..<Int(descriptorCount)]))
    }

    /// Waits for a message or the end (`poll`); returns false at the timeout, and after a signal.
    package func isReadable(within timeout: Duration) throws(FileError) -> Bool {
        let (seconds, attoseconds) = timeout.components
        let milliseconds = min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
        var request = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        let count = poll(&request, 1, Int32(max(milliseconds, 0)))
        guard count >= 0 || errno == EINTR else { throw FileError("poll") }
        return count > 0
    }

    /// Ends the connection for both ends (`shutdown`); wakes a thread that waits in `isReadable` or `receive`.
    package func shutDown() { shutdown(descriptor.number, Int32(SHUT_RDWR)) }
}
