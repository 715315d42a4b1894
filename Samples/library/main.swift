import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTerminalUI

// Loads a picture, keeps it, and draws it as large as the terminal lets it be:
//
//     swift run thumbnail                       out of the archive beside this sample; needs no network
//     swift run thumbnail FOLDER https://...    out of an archive that `spyglass list --record FOLDER` made

let arguments = CommandLine.arguments.dropFirst()
let samples = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
let folder = arguments.first ?? "\(samples)/archive"
let picture = try WebAddress(
    validating: arguments.dropFirst().first
        ?? "https://images-assets.nasa.gov/image/bmng-globe-africa/bmng-globe-africa~medium.jpg")
let terminal = TerminalCapabilities.current()

// For the network: `ImagePipeline.standard(cache: DiskCache(folder: ...))`.
let pipeline = ImagePipeline(transport: ArchiveTransport(folder: folder))
let box = HalfBlock.pixelBox(for: terminal.drawingBox)
let request = ImageRequest(.address(picture), target: TargetSize(box: box))
let first = try await pipeline.image(for: request)
let second = try await pipeline.image(for: request)

var blocks = HalfBlock(depth: terminal.color.value, glyphs: terminal.glyphs.value)
try StreamWriter.standardOutput.write(blocks.encode(first.image.pixels))
for result in [first, second] {
    let origin = result.origin == .memory ? "out of memory" : "decoded"
    print("\(result.image.pixels.size) pixels of \(result.image.info.size), \(origin)")
}
