internal import Glibc
internal import SpyglassCodecs
internal import SpyglassFiles
internal import SpyglassPipeline

/// What the file of a photo says about itself.
struct PhotoFacts: Hashable, Sendable {
    /// `nil` if it cannot be read.
    var metadata: ImageMetadata?
    /// Why it cannot be read.
    var problem: String?
    /// When the file was last changed, in local time: `2024-05-17T12:30:45`.
    var modified: String?
}

extension PhotoFacts {
    /// Reads a file on a thread of the pipeline; `nil` if the task is cancelled.
    init?(of file: LocalFile, by pipeline: ImagePipeline) async {
        modified = Self.localTime(file.modified)
        do {
            metadata = try await pipeline.metadata(of: .localFile(file))
        } catch let error as CodecError where error.kind != .cancelled {
            problem = error.description
        } catch {
            return nil
        }
    }

    /// By the system's time zone (`localtime_r`).
    private static func localTime(_ sinceEpoch: Duration) -> String? {
        var seconds = time_t(sinceEpoch.components.seconds)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return nil }
        func digits(_ number: Int32, _ count: Int = 2) -> String {
            String(repeating: "0", count: max(count - "\(number)".count, 0)) + "\(number)"
        }
        let day = [digits(parts.tm_year &+ 1900, 4), digits(parts.tm_mon + 1), digits(parts.tm_mday)]
        let time = [digits(parts.tm_hour), digits(parts.tm_min), digits(parts.tm_sec)]
        return day.joined(separator: "-") + "T" + time.joined(separator: ":")
    }
}
