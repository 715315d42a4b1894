internal import SpyglassPixels

extension FilePlan {
    mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
        try coder.code(&target)
        try coder.code(&filling, or: .crop(PixelSize(width: 1, height: 1), .center)) {
            (filling, coder) throws(MalformedMessage) in try coder.code(&filling)
        }
        let empty = Encoding(.png, comment: "", commentWithoutColor: "", background: RGBA(255, 255, 255))
        try coder.code(&encoding, or: empty) { (encoding, coder) throws(MalformedMessage) in
            try encoding.code(&coder)
        }
        try coder.code(&isMadeOfDamage)
    }
}

extension FilePlan.Format {
    fileprivate mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
        var (kind, jpeg, quality, effort) = (UInt8(0), ImageEncoder.JPEGOptions(), 0, 0)
        switch self {
        case .jpeg(let options): (kind, jpeg) = (0, options)
        case .png: kind = 1
        case .webp(let given?, let other): (kind, quality, effort) = (2, given, other)
        case .webp(nil, let given): (kind, effort) = (3, given)
        case .avif(let given, let other): (kind, quality, effort) = (4, given, other)
        }
        try coder.code(byte: &kind, upTo: 4)
        switch kind {
        case 0:
            try jpeg.code(&coder)
            self = .jpeg(jpeg)
        case 1: self = .png
        default:
            try coder.code(&quality, in: 0...100)
            try coder.code(&effort, in: 0...6)
            self =
                kind == 4
                ? .avif(quality: quality, effort: effort)
                : .webp(quality: kind == 2 ? quality : nil, effort: effort)
        }
    }
}

extension ImageEncoder.JPEGOptions {
    fileprivate mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
        try coder.code(&quality, in: 0...100)
        try coder.code(&isProgressive)
        try coder.code(&isOptimized)
        try coder.code(&subsampling, or: .ratio444) { (ratio, coder) throws(MalformedMessage) in
            try coder.code(&ratio)
        }
    }
}

extension FilePlan.Encoding {
    fileprivate mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
        try format.code(&coder)
        try coder.code(&comment)
        try coder.code(&commentWithoutColor)
        try coder.code(byte: &background.red)
        try coder.code(byte: &background.green)
        try coder.code(byte: &background.blue)
    }
}
