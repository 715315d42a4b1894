/// How one photo in full is enlarged, and around which point; the same for any size of the picture and of the screen.
struct Zoom: Hashable, Sendable {
    /// 1 shows the whole picture; larger numbers enlarge it.
    var factor = 1.0
    /// The centre of what is shown, in fractions of the picture's width and height.
    var x = 0.5
    var y = 0.5

    static let fit = Zoom()
}
