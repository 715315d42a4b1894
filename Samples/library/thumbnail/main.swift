import SpyglassKit

let pipeline = ImagePipeline()
let image = try await pipeline.image(for: "photo.jpg", fitting: PixelSize(width: 64, height: 64))
print(image.pixels.size.width, image.pixels.size.height)
