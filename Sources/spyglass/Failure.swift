import Glibc
import SpyglassBatch
import SpyglassBench
import SpyglassCaching
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline
import SpyglassTerminalUI

enum ExitCode: Int32, CaseIterable, Sendable {
    case success, someFailed, usage, unavailable, internalError

    var meaning: String {
        switch self {
        case .success: "success, even if nothing was found or the reader closed the pipe"
        case .someFailed: "at least one item failed or was partial, or nothing was picked"
        case .usage: "the command line is wrong, or a service rejected a value of it"
        case .unavailable: "the command failed; trying again later may help"
        case .internalError: "an internal error"
        }
    }
}

/// Ends a command, or one of its items, with one line for the user.
struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    let code: ExitCode
    /// "what failed: why; what to do", without `spyglass:` and without a newline; cleaned when it is printed.
    let message: String

    init(_ code: ExitCode, _ message: String) { (self.code, self.message) = (code, message) }
    var description: String { message }

    static func usage(_ message: String) -> Failure { Failure(.usage, message) }

    /// Explains an error that ends a command; `nil` when the reader of the output has closed it.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case TerminalError.outputClosed: return nil
        case let error as TerminalError: self.init(.unavailable, "\(error)")
        case let error as CatalogError: self.init(error.kind == .invalidQuery ? .usage : .unavailable, error.message)
        case let error as FetchError:
            // Only the command line can raise this limit.
            self.init(error.exceededLimit == .body ? .usage : .unavailable, error.message)
        case let error as BatchError: self.init(error)
        case let error as BenchError: self.init(.unavailable, "\(error)")
        case let error as DiskCacheError: self.init(.unavailable, error.message)
        case is CancellationError: self.init(.unavailable, "cancelled")
        default: self.init(.internalError, "internal error: \(error); please report it")
        }
    }

    init(_ error: BatchError) { self.init(error.kind == .usage ? .usage : .unavailable, error.message) }

    /// Explains that one of several items failed; `limits` are those of the decoder.
    init(_ error: any Error, of name: String, within limits: ImageLimits) {
        let message =
            switch error {
            // The messages of these contain the URL.
            case ImageError.fetch(let error): error.message
            case ImageError.status(let status, let address):
                "\(address): HTTP \(status): \(Self.remedy(for: status))"
            case ImageError.decode(let error, _), let error as CodecError: "\(name): \(error.message(within: limits))"
            case ImageError.cancelled, is CancellationError: "\(name): cancelled"
            default: "\(name): \(error)"
            }
        self.init(.someFailed, message)
    }

    /// Explains a status without an image (RFC 9110 section 15).
    private static func remedy(for status: Int) -> String {
        switch status {
        case 401, 403, 407: "access denied by the server"
        case 404, 410: "not found; check the URL"
        case 429: "too many requests; try again later, or with a smaller --connections"
        case 500...: "server error; try again later"
        default: "unexpected status; check the URL"
        }
    }
}

// Messages for the user: the errors of the libraries, with this program's options as remedies.

extension FileError {
    func message(_ settings: Settings) -> String {
        switch cause {
        case .tooLarge:
            "more than \(ValueText.grouped(settings.pipedBytes)) bytes (raise the limit with "
                + (settings.pipedBytes < settings.limits.bodyBytes ? "--work-memory)" : "--max-bytes)")
        case .system(ETIMEDOUT): "no data within \(settings.timeout) s; raise --timeout"
        default: reason
        }
    }
}

extension FetchError {
    /// The description without the address at its start.
    var reason: Substring {
        guard let end = description.byteRange(of: ": "), description[..<end.lowerBound].containsBytes(of: "://") else {
            return description[...]
        }
        return description[end.upperBound...]
    }

    var message: String { remedy.map { "\(description) (\($0))" } ?? description }

    private var remedy: String? {
        switch (exceededLimit, kind) {
        case (.body, _): "raise the limit with --max-bytes"
        case (.workMemory, _): "raise it with --work-memory"
        case (.stall, _), (.deadline, _): "wait longer with --timeout"
        case (.rate, _): "try again later"
        case (_, .unreachable): "check the URL and the network, or try again later"
        case (_, .notCached): "fetch it without --offline"
        default: nil
        }
    }
}

extension CatalogError {
    var message: String {
        switch subject {
        case .text: "\(description); check the search words"
        case .filter(let name) where !OptionTable.filterNames.contains(name): "\(description); check the filter \(name)"
        case .filter(let name): "\(description); check --\(name)"
        case .endpoint: "\(description); is --endpoint the base URL of NASA's API?"
        default: description
        }
    }
}

extension CodecError {
    func message(within limits: ImageLimits) -> String {
        let remedy: String? =
            switch exceeded {
            case .pixels(let needed): "raise it with --max-pixels \(Self.roundedUp(needed))"
            // An explicit limit of pixels replaces that of a side.
            case .side(let needed): "raise it with --max-pixels \(Self.roundedUp(max(needed, limits.pixels)))"
            case .bodyBytes: "raise it with --max-bytes"
            case .workMemory(let needed): "raise it with --work-memory \((needed >> 20) + 1)MiB"
            case .coefficientBytes, .scans: "save it as a baseline JPEG, neither progressive nor in several scans"
            case .frames, .framePixels: "its first frame is shown with --frame 1"
            case .pngChunkBytes: "save it without its metadata"
            case nil: nil
            }
        return description + (remedy.map { " (\($0))" } ?? "")
    }

    /// The smallest value of an option that allows `count`: `900M`, `101M`, `999`.
    private static func roundedUp(_ count: Int) -> String {
        let million = 1_000_000
        guard count >= million else { return "\(count)" }
        return "\(count / million + (count % million == 0 ? 0 : 1))M"
    }
}

extension DiskCacheError {
    var message: String {
        switch self {
        case .notAFolder, .notWritable, .unusable: "\(description) (choose another folder with --cache-dir)"
        case .busy: "\(description); try again when it is done"
        case .damagedEntry: "\(description) (spyglass cache verify checks the others)"
        default: description
        }
    }
}
