/// Options of other programs for images in the terminal (chafa, timg, viu, catimg, kitty icat, imgcat), and ours instead.
enum ForeignOption {
    /// What replaces an unknown option, for messages; `nil` if it is of no such program, or our command draws nothing.
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
