/// Rows that move inside a region, as DECSTBM, SU and SD move them.
struct ScrollMove: Equatable {
    /// The first row of the region.
    let top: Int
    /// The row below the region.
    let bottom: Int
    /// How many rows everything goes up; down if negative.
    let distance: Int
}
