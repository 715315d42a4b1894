import SpyglassBatch
import SpyglassBench
import SpyglassCodecs
import SpyglassFiles

/// Reads the pictures that `bench` is to measure, of files and folders, into memory.
struct BenchSamples {
    /// Bytes that all of them may have together (1 GiB): they stay in memory.
    static let byteLimit = 1 << 30

    private let settings: Settings
    private let console: Console
    private var files: [SampleFile] = []
    private var remainingBytes: Int

    /// Whether one of them could not be read.
    private(set) var hasFailures = false

    init(_ settings: Settings, _ console: Console, byteLimit: Int = Self.byteLimit) {
        self.settings = settings
        self.console = console
        remainingBytes = byteLimit
    }

    /// The pictures that can be decoded; of each other one a line says why not.
    ///
    /// - Throws: `Failure` when there is none, or there are too many.
    mutating func read(_ operands: [Argument]) throws -> [SampleFile] {
        for operand in operands {
            if let folder = try? Folder(opening: operand) { try walk(folder, operand) } else { try add(operand) }
        }
        guard !files.isEmpty else { throw Failure(.someFailed, "there is no picture to measure") }
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
            let bytes = try FileReader.readAll(name, limit: min(settings.maxBytes, remainingBytes))
            files.append(try SampleFile(bytes, limits: ImageDecoder(settings).limits))
            remainingBytes -= bytes.count
        } catch ReadError.tooLarge where remainingBytes < settings.maxBytes {
            throw Failure.usage(
                "the pictures have more than \(Values.bytes(Self.byteLimit)) together; measure fewer of them")
        } catch {
            reject(name, Self.reason(error, settings))
        }
    }

    /// Why a picture cannot be read or measured, or a figure not be taken.
    static func reason(_ error: any Error, _ settings: Settings) -> String {
        switch error {
        case let error as CodecError: error.message(within: ImageDecoder(settings).limits)
        case let error as BenchError: error.description
        case ReadError.failed(let reason): reason
        case ReadError.tooLarge:
            "it has more than \(Values.grouped(settings.maxBytes)) bytes (raise the limit with --max-bytes)"
        default: "\(error)"
        }
    }

    private mutating func reject(_ name: Argument, _ reason: String) {
        hasFailures = true
        console.error("\(name.text): \(reason)")
    }
}
