// A thumbnail server on plain sockets: `GET /NAME?w=320` answers a JPEG of FOLDER/NAME, `POST /` one of the uploaded image.
//
//     server FOLDER [PORT] [plain]
//
// Connections stay open, and images are decoded in processes of their own. With `plain`, answers are kept in a dictionary for ever,
// which shows in a load test what the look-ups of the library cost.

import Dispatch
import Glibc
import SpyglassKit
import Synchronization

// Before anything else: this program is also its own decoder.
DecodeWorker.runIfRequested()
signal(SIGPIPE, SIG_IGN)

let workers = WorkerPool.currentExecutable(count: 2, deadline: .seconds(20))
var configuration = ImagePipeline.Configuration(workMemory: WorkMemory(limit: 256 << 20))
configuration.decoder.limits = .upload
configuration.decoder.workers = workers
let pipeline = ImagePipeline(configuration)
let uploads = Thumbnailer(workers: workers)
/// Reading and writing block, so they have threads of their own.
let sockets = DispatchQueue(label: "sockets", attributes: .concurrent)

func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in sockets.async { continuation.resume(returning: body()) } }
}

let jpeg = ImageEncoder.Format.jpeg(ImageEncoder.JPEGOptions())

struct Request: Sendable {
    var method = ""
    var name = ""
    var width = 320
    var body: [UInt8] = []
}

struct Answer: Sendable {
    var status = "200 OK"
    var type = "image/jpeg"
    var body: [UInt8]

    static func problem(_ status: String, _ text: String) -> Answer {
        Answer(status: status, type: "text/plain", body: Array("\(text)\n".utf8))
    }
}

func answer(_ request: Request, in folder: String) async -> Answer {
    do throws(ImageError) {
        switch request.method {
        case "GET":
            // A name never leads out of the folder.
            let name = request.name.utf8
            guard !name.isEmpty, !name.contains(UInt8(ascii: "/")), name.first != UInt8(ascii: ".") else {
                return .problem("404 Not Found", "no such image")
            }
            let side = min(max(request.width, 1), 2000)
            let source = try ImageSource(file: "\(folder)/\(request.name)")
            let target = TargetSize(box: PixelSize(width: side, height: side))
            // Encoded results come from memory until the file changes.
            return Answer(body: try await pipeline.data(for: ImageRequest(source, target: target), as: jpeg))
        case "POST":
            let made = try await uploads.thumbnails(of: .bytes(request.body), [.fit(320, 320)])
            return Answer(type: "image/\(made[0].format.rawValue)", body: made[0].bytes)
        default: return .problem("405 Method Not Allowed", "GET or POST")
        }
    } catch {
        return .problem("422 Unprocessable Content", "\(error)")
    }
}

let answers = Mutex<[String: Answer]>([:])

func plainAnswer(_ request: Request, in folder: String) async -> Answer {
    let key = "\(request.width) \(request.name)"
    if let answer = answers.withLock({ $0[key] }) { return answer }
    let answer = await answer(request, in: folder)
    answers.withLock { $0[key] = answer }
    return answer
}

/// Reads one request of HTTP/1.1; `nil` at the end of the connection, and for what is none.
func readRequest(_ socket: Int32) -> Request? {
    let (maxHead, maxBody) = (8 << 10, 16 << 20)
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    func receive() -> Bool {
        let count = recv(socket, &part, part.count, 0)
        if count > 0 { bytes += part.prefix(count) }
        return count > 0
    }
    let blank = Array("\r\n\r\n".utf8)
    var end: Int?
    while end == nil {
        guard bytes.count < maxHead, receive() else { return nil }
        end = bytes.indices.first { bytes[$0...].starts(with: blank) }
    }
    guard let end else { return nil }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count == 3 else { return nil }
    var request = Request(method: String(words[0]))
    let target = words[1].split(separator: "?", maxSplits: 1)
    request.name = String((target.first ?? "").dropFirst())
    if target.count == 2, target[1].hasPrefix("w="), let width = Int(target[1].dropFirst(2)) { request.width = width }
    var length = 0
    for line in lines.dropFirst() {
        let field = line.split(separator: ":", maxSplits: 1)
        guard field.count == 2, field[0].lowercased() == "content-length" else { continue }
        guard let stated = Int(field[1].drop { $0 == " " }), (0...maxBody).contains(stated) else { return nil }
        length = stated
    }
    let start = end + blank.count
    while bytes.count < start + length { guard receive() else { return nil } }
    request.body = Array(bytes[start..<start + length])
    return request
}

func write(_ answer: Answer, to socket: Int32) -> Bool {
    let fields = "Content-Type: \(answer.type)\r\nContent-Length: \(answer.body.count)"
    let bytes = Array("HTTP/1.1 \(answer.status)\r\n\(fields)\r\n\r\n".utf8) + answer.body
    var sent = 0
    while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes { send(socket, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return false }
        sent += count
    }
    return true
}

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
    print("usage: server FOLDER [PORT]")
    exit(2)
}
let folder = arguments[1]
let isPlain = arguments.last == "plain"
let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
var address = sockaddr_in()
address.sin_family = sa_family_t(AF_INET)
address.sin_addr.s_addr = inet_addr("127.0.0.1")
address.sin_port = (arguments.count > 2 ? UInt16(arguments[2]) ?? 0 : 0).bigEndian
var length = socklen_t(MemoryLayout<sockaddr_in>.size)
let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
    }
}
guard isBound, listen(listener, 128) == 0 else {
    print("cannot listen: \(String(cString: strerror(errno)))")
    exit(1)
}
print("http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
fflush(nil)
while true {
    let connection = await blocking { accept(listener, nil, nil) }
    guard connection >= 0 else { break }
    // Detached: a task of the main actor would return to the main thread after each step.
    Task.detached {
        while let request = await blocking({ readRequest(connection) }) {
            let answer = isPlain ? await plainAnswer(request, in: folder) : await answer(request, in: folder)
            guard await blocking({ write(answer, to: connection) }) else { break }
        }
        close(connection)
    }
}
