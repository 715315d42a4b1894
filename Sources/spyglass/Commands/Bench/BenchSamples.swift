import SpyglassBatch
import SpyglassBench
import SpyglassCodecs
import SpyglassFiles

struct BenchSamples {
    /// The maximum size of all images together: they stay in memory.
    static let byteLimit = 1 << 30

    private let settings: Settings
    private let console: Console
    private var files: [SampleFile] = []
    private var remainingBytes: Int

    private(set) var hasFailures = false

    init(_ settings: Settings, _ console: Console, byteLimit: Int = Self.byteLimit) {
        self.settings = settings
        self.console = console
        remainingBytes = byteLimit
    }

    /// Reads the images of files and folders; prints a line for each that fails.
    mutating func read(_ operands: [Argument]) throws -> [SampleFile] {
        for operand in operands {
            if let folder = try? Folder(opening: operand) { try walk(folder, operand) } else { try add(operand) }
        }
        guard !files.isEmpty else { throw Failure(.someFailed, "no image to measure") }
        return files
    }

    private mutating func walk(_ open: consuming Folder, _ folder: Argument) throws {
        var walk = FolderWalk(open, excluding: nil)
        while let found = walk.next() {
            switch found {
            case .file(let folders, let name, _): try add(Self.path(folder, folders + [name]))
            case .failed(let folders, let reason): reject(Self.path(folder, folders), reason)
            }
        }
    }

    private static func path(_ folder: Argument, _ names: [[UInt8]]) -> Argument {
        Argument(bytes: Array(([folder.bytes] + names).joined(separator: [UInt8(ascii: "/")])))
    }

    private mutating func add(_ name: Argument) throws {
        do {
            let bytes = try Folder.working.read(name, limit: min(settings.limits.bodyBytes, remainingBytes))
            files.append(try SampleFile(bytes, limits: settings.limits))
            remainingBytes -= bytes.count
        } catch let error as FileError
            where error.cause == .tooLarge && remainingBytes < settings.limits.bodyBytes
        {
            throw Failure.usage(
                "more than \(ValueText.bytes(Self.byteLimit)) of images; measure fewer")
        } catch {
            reject(name, Self.reason(error, settings))
        }
    }

    static func reason(_ error: any Error, _ settings: Settings) -> String {
        switch error {
        case let error as CodecError: error.message(within: settings.limits)
        case let error as BenchError: error.description
        case let error as FileError: error.message(settings)
        default: "\(error)"
        }
    }

    private mutating func reject(_ name: Argument, _ reason: String) {
        hasFailures = true
        console.error("\(name.text): \(reason)")
    }
}
