// Measures an upload handler: thumbnails of 320 and 96 pixels, a hundred times, all at once.
//
//     uploads together FILE        by Thumbnailer; prints CPU time and peak memory
//     uploads direct FILE          by ImageDecoder and ImageEncoder on threads of its own
//     uploads enlarge FILE OTHER   writes a JPEG of 4096x2048 pixels to OTHER

import Dispatch
import Glibc
import SpyglassKit

let count = 100
let arguments = CommandLine.arguments
guard arguments.count > 2 else {
    print("usage: uploads together|direct|enlarge FILE [OTHER]")
    exit(2)
}

func contents(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    while case let size = fread(&part, 1, part.count, file), size > 0 { bytes += part[..<size] }
    return bytes
}

let upload = contents(of: arguments[2])
do {
    switch arguments[1] {
    case "enlarge":
        let made = try await Thumbnailer().thumbnails(of: .bytes(upload), [.cover(4096, 2048, enlarges: true)])
        guard arguments.count > 3, let file = fopen(arguments[3], "w") else { fatalError("uploads enlarge FILE OTHER") }
        fwrite(made[0].bytes, 1, made[0].bytes.count, file)
        fclose(file)
        exit(0)
    case "together":
        let thumbnailer = Thumbnailer()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    _ = try await thumbnailer.thumbnails(of: .bytes(upload), [.fit(320, 320), .fit(96, 96)])
                }
            }
            try await group.waitForAll()
        }
    default:
        let decoder = ImageDecoder(limits: .upload)
        let encoder = ImageEncoder(.jpeg())
        let targets = [320, 96].map { TargetSize(box: PixelSize(width: $0, height: $0)) }
        DispatchQueue.concurrentPerform(iterations: count) { _ in
            guard let image = try? decoder.decode(.bytes(upload), to: targets) else { fatalError("not decoded") }
            for pixels in image.buffers { precondition((try? encoder.encode(pixels)) != nil) }
        }
    }
} catch {
    print("\(error)")
    exit(1)
}
var usage = rusage()
getrusage(RUSAGE_SELF.rawValue, &usage)
let times = [usage.ru_utime, usage.ru_stime].map { $0.tv_sec * 1000 + $0.tv_usec / 1000 }
print("\(times.reduce(0, +)) ms, \(usage.ru_maxrss) KiB")
