import Glibc
import SpyglassCodecs
import SpyglassPixels

@testable import SpyglassBrowser
@testable import SpyglassFiles

extension PhotoFacts {
    /// Everything is known; `text` gives each text.
    static func example(_ text: () -> String? = { nil }) -> PhotoFacts {
        var metadata = ImageMetadata(
            info: ImageInfo(
                format: .jpeg, storedSize: PixelSize(width: 6240, height: 4160), isProgressive: true,
                colorDescription: text() ?? "YCbCr, 8 bits"))
        metadata.camera = text() ?? "FUJIFILM X-T3"
        metadata.lens = text() ?? "FUJIFILM XF35mmF1.4 R"
        metadata.software = text() ?? "Ver1.10"
        metadata.date = text() ?? "2024-05-17T12:30:45+02:00"
        metadata.profile = text() ?? "Display P3"
        metadata.exposureTime = 0.004
        metadata.fNumber = 2.8
        metadata.iso = 640
        metadata.focalLength = 35
        metadata.focalLengthOn35mmFilm = 53
        return PhotoFacts(metadata: metadata, modified: text() ?? "2024-05-18T09:00:00")
    }
}

extension LocalFile {
    /// A file that does not exist.
    static func example(_ path: String, byteCount: Int = 0, isFolder: Bool = false) -> LocalFile {
        var status = stat()
        status.st_mode = isFolder ? S_IFDIR : S_IFREG
        status.st_size = byteCount
        return LocalFile(Array(path.utf8), FileStatus(status))
    }
}
