internal import SpyglassCatalog
internal import SpyglassFetching

enum SamplePhotos {
    /// Photos with titles, makers and descriptions; the descriptions are repeated up to a length.
    static func list(_ count: Int, descriptionLength: Int = 0) -> [Photo] {
        (0..<count).map { photo($0, descriptionLength: descriptionLength) }
    }

    private static func photo(_ number: Int, descriptionLength: Int) -> Photo {
        var photo = Photo(id: "PIA\(10_000 + number)", source: "nasa")
        photo.title = "Photograph \(number) of a planet and its moons, seen from afar"
        photo.photographer = "NASA/Photographer \(number % 17)"
        photo.date = "19\(60 + number % 40)-0\(1 + number % 9)-12T00:00:00Z"
        photo.center = ["JPL", "JSC", "GSFC", "KSC"][number % 4]
        let sentence = "What is seen on photograph \(number), at some length, so that lines are broken and cut."
        let count = max(descriptionLength / sentence.utf8.count, 1)
        photo.description = [String](repeating: sentence, count: count).joined(separator: " ")
        photo.keywords = ["planet", "moon \(number % 60)"]
        photo.page = WebAddress("https://images.nasa.gov/details/\(photo.id)")
        photo.thumbnail = WebAddress("https://images-assets.nasa.gov/image/\(photo.id)~thumb.jpg")
        for (name, width) in [("thumb", 640), ("medium", 1280), ("orig", 4000)] {
            guard let address = WebAddress("https://images-assets.nasa.gov/image/\(photo.id)~\(name).jpg") else {
                continue
            }
            photo.renditions.append(Rendition(address, width: width, height: width * 3 / 4))
        }
        return photo
    }
}
