internal import SpyglassCodecs
internal import SpyglassFiles
internal import SpyglassPipeline

/// What the file of a photo says about itself.
struct PhotoFacts: Hashable, Sendable {
    /// `nil` if it cannot be read.
    var metadata: ImageMetadata?
    /// Of an animation; `nil` for a still image.
    var frameCount: Int?
    /// Why it cannot be read.
    var problem: String?
    /// When the file was last changed, in local time: `2024-05-17T12:30:45`.
    var modified: String?
}

extension PhotoFacts {
    /// Reads a file on a thread of the pipeline; `nil` if the task is cancelled.
    init?(of file: LocalFile, by pipeline: ImagePipeline) async {
        modified = file.localTime
        do {
            metadata = try await pipeline.metadata(of: .localFile(file))
            if metadata?.info.format.mayMove == true {
                let count = try await pipeline.frameCount(of: .localFile(file))
                frameCount = count > 1 ? count : nil
            }
        } catch let error as CodecError where error.kind != .cancelled {
            problem = error.description
        } catch {
            return nil
        }
    }
}
