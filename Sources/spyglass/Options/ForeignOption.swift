/// Options of other programs for images in the terminal (chafa, timg, viu, catimg, kitty icat, imgcat), and ours instead.
enum ForeignOption {
    /// Names our option for one of such a program; `nil` for others, and for commands that draw nothing.
    static func advice(for spelling: String, in command: Command?) -> String? {
        guard command == .show || command == .list || command == .browse || command == nil else { return nil }
        return table.first { $0.spellings.contains(spelling) }.map { "use \($0.replacement)" }
    }

    private static let table: [(spellings: [String], replacement: String)] = [
        (["-s", "-g", "--size", "--geometry"], "--cells COLSxROWS"),
        (["-w", "-W", "--width", "--fit-width"], "--cells COLSx"),
        (["-H", "--height"], "--cells xROWS"),
        (
            [
                "-f", "-p", "--format", "--symbols", "--pixelation", "--protocol", "--sixel", "--kitty", "--iterm",
                "--blocks",
            ],
            "--pixels MODE"
        ),
        (["-c", "--colors", "--colours"], "--color WHEN"),
        (["-U", "--upscale", "--scale-up", "--zoom", "--stretch"], "--enlarge"),
        (["-b", "-t", "--bg", "--transparent", "--transparency"], "--background COLOR"),
        (["-F", "-l", "--label", "--name", "--title"], "--caption=FORMAT"),
        (["--font-ratio", "--cell-ratio"], "--cell-size WxH"),
        (["-u", "--url"], "the URL alone"),
    ]
}

/// Options of earlier versions of this program, and what replaces them.
enum FormerOption {
    static func advice(for name: some StringProtocol) -> String? { table.first { $0.name == name }?.advice }

    static let table: [(name: String, advice: String)] = [
        ("animate", "for show, --frame 1 prints a still image; the browser's settings choose which animations play"),
        ("cache-originals", "keep downloads with --record DIR, and reuse them with --archive DIR"),
        ("contact", "use --user-agent 'Spyglass (ADDRESS)'"),
        ("deadline", "use --timeout: a body takes at most \(Options.timeoutsOfBody) times as long"),
        ("dither", "one image in 256 or 16 colours is always dithered"),
        ("exact", "images are always decoded near the size that is needed"),
        ("fidelity", "colours of images are always exact"),
        ("lang", "use the locale, such as LC_ALL=de_DE.UTF-8, or the browser's settings"),
        ("max-redirects", "a request follows at most 5"),
        ("max-scans", "save such a file as a baseline JPEG"),
        ("max-side", "use --max-pixels, which then limits the sides, too"),
        ("memory-limit", "the browser's settings have a limit for images; --work-memory limits decoding"),
        ("min-rate", "an original that is saved needs 1 KiB/s over a minute"),
        ("no-mouse", "the browser's settings turn the mouse off"),
        ("no-scroll-region", "terminals without scroll regions are recognised"),
        ("page", "use --limit, and skip what is not needed"),
        ("progress", "--quiet prints none; a file or a pipe gets lines with --verbose"),
        ("save", "use --json > FILE"),
        ("urls", "name the file: spyglass bench fetch FILE"),
    ]
}
