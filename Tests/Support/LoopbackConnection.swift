internal import Glibc
internal import SpyglassFetching

/// A client's connection, on its own thread.
struct LoopbackConnection {
    let core: LoopbackCore
    let descriptor: Int32
    let number: Int

    /// The maximum size of a request's head and body.
    private static let requestLimit = 1 << 20

    /// Responds to requests until one side closes.
    func serve() {
        var received: [UInt8] = []
        while let request = nextRequest(&received) {
            core.state.change { state in
                state.counts.requests += 1
                state.counts.answering += 1
                state.requests.append(request)
            }
            let goesOn = perform(core.answer(request))
            core.state.change { $0.counts.answering -= 1 }
            guard goesOn, request.headers["Connection"] != "close" else { break }
        }
        core.state.change { $0.counts.openConnections -= 1 }
        close(descriptor)
    }

    private func perform(_ reply: LoopbackServer.Reply) -> Bool {
        for step in reply.steps {
            switch step {
            case .send(let bytes): guard send(bytes) else { return false }
            case .wait(let gate): guard core.wait(for: gate.descriptor, POLLIN) else { return false }
            case .flood(let bytes):
                while send(bytes) {}
                return false
            case .stall:
                waitUntilClientLeaves()
                return false
            case .close: return false
            case .reset:
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
                return false
            }
        }
        return true
    }

    private func waitUntilClientLeaves() {
        var byte: UInt8 = 0
        while core.wait(for: descriptor, POLLIN) {
            let count = recv(descriptor, &byte, 1, 0)
            if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { return }
        }
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                guard core.wait(for: descriptor, POLLOUT) else { return false }
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// The next request, or `nil` if the client left, the server stops, or the input is invalid.
    private func nextRequest(_ received: inout [UInt8]) -> LoopbackServer.Request? {
        let emptyLine = Array("\r\n\r\n".utf8)
        while true {
            if let end = received.firstRange(of: emptyLine) {
                let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
                let headers = HeaderFields(lines.dropFirst().compactMap(Self.field))
                let bodyEnd = end.upperBound + (headers["Content-Length"].flatMap { Int($0) } ?? 0)
                if received.count >= bodyEnd {
                    received.removeFirst(bodyEnd)
                    let words = (lines.first ?? "").split(separator: " ")
                    guard words.count == 3 else { return nil }
                    return LoopbackServer.Request(
                        method: String(words[0]), target: String(words[1]), headers: headers, connection: number)
                }
            }
            guard received.count < Self.requestLimit, receive(&received) else { return nil }
        }
    }

    private func receive(_ received: inout [UInt8]) -> Bool {
        guard core.wait(for: descriptor, POLLIN) else { return false }
        var part = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(descriptor, &part, part.count, 0)
        if count > 0 { received += part[..<count] }
        return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
    }

    private static func field(_ line: Substring) -> HeaderFields.Field? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return HeaderFields.Field(name: String(line[..<colon]), value: String(value))
    }
}
