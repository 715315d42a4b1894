/// A container format, with a generator of small files.
///
///     let (bytes, isPlain) = Container.png.file(7)
///
/// The pixels have one colour. Plain files decode completely.
enum Container: Int, CaseIterable {
    case avif, heif, webp, tiff, png, gif, bmp, jpeg, qoi, fits, pnm, ico, jxl, raw, cr3

    /// The file of a seed.
    func file(_ seed: Int) -> (bytes: [UInt8], isPlain: Bool) {
        var writer = ContainerWriter(seed: seed, stream: rawValue)
        switch self {
        case .avif: writer.heif(isAVIF: true)
        case .heif: writer.heif(isAVIF: false)
        case .webp: writer.webp()
        case .tiff: writer.tiff()
        case .png: writer.png()
        case .gif: writer.gif()
        case .bmp: writer.bmp()
        case .jpeg: writer.jpeg()
        case .qoi: writer.qoi()
        case .fits: writer.fits()
        case .pnm: writer.pnm()
        case .ico: writer.ico()
        case .jxl: writer.jxl()
        case .raw: writer.raw()
        case .cr3: writer.cr3()
        }
        return (writer.finished(), writer.isPlain)
    }
}
