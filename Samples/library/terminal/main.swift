// Draws an image as `spyglass show` does: `terminal FILE`.

import SpyglassKit

DecodeWorker.runIfRequested()
guard CommandLine.arguments.count == 2 else { fatalError("usage: terminal FILE") }
var configuration = ImagePipeline.Configuration()
configuration.decoder.workers = .currentExecutable(count: 1, deadline: .seconds(20))
do {
    let source = try ImageSource(file: CommandLine.arguments[1])
    let image = try await ImagePipeline(configuration).image(for: ImageRequest(source, target: Terminal.target))
    try Terminal.print(image.pixels)
} catch {
    print("\(error)")
}
