import Glibc
import SpyglassPixels
import SpyglassTerminalUI

/// A full-screen program controlled by the test's commands.
struct SessionProgram {
    let options: Set<String>

    func run() {
        let isObstinate = options.contains("obstinate")
        let session = TerminalSession { event in
            Wire.tell(Self.words(for: event))
            if case .ended(let signal) = event, !isObstinate {
                Wire.tell("saved")
                TerminalSession.terminate(bySignal: signal)
            }
        }
        // As in the executable, where the session replaces these handlers.
        TerminalRestorer.install()
        if options.contains("job") { awaitForeground() }
        if options.contains("nohup") { signal(SIGHUP, SIG_IGN) }
        let flags = fcntl(STDIN_FILENO, F_GETFL)
        do {
            try session.start(
                .init(
                    usesMouse: options.contains("mouse"),
                    queries: options.contains("ask") ? TerminalProbe.bytes : TerminalBytes()))
        } catch {
            Wire.tell("refused \(error)")
            exit(3)
        }
        Wire.tell(flags == fcntl(STDIN_FILENO, F_GETFL) ? "started" : "started with other flags")
        while let command = Wire.nextCommand() { obey(command.split(separator: " ").map(String.init), session) }
        session.end()
    }

    /// The shell gives the job the terminal after its start.
    private func awaitForeground() {
        while tcgetpgrp(STDIN_FILENO) != getpgrp() { poll(nil, 0, 1) }
    }

    private func obey(_ command: [String], _ session: TerminalSession) {
        switch command.first {
        case "frames":
            for _ in 0..<(command.dropFirst().first.flatMap { Int($0) } ?? 0) { session.write(Self.frame) }
            Wire.tell("written")
        case "line": session.write(TerminalBytes(escaped: "a line"))
        case "painted": session.write(Self.painted)
        case "image": for frame in Self.imageFrames { session.write(frame) }
        case "background": session.write(TerminalProbe.appearance)
        case "mouse": session.setMouse(command.last == "on")
        case "suspend": session.suspend()
        case "lend":
            session.lend { terminal in
                terminal.print("a lent line", glyphs: .utf8)
                Wire.tell("lent")
                _ = terminal.waitForKey()
                Wire.tell("given back")
            }
        case "errors":
            let message = Array("an error message\n".utf8)
            for _ in 0..<(command.dropFirst().first.flatMap { Int($0) } ?? 1) {
                message.withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
            }
            Wire.tell("said")
        case "trap": fatalError("the last words")
        case "abort": abort()
        case "fault": kill(getpid(), SIGSEGV)
        case "end":
            session.end()
            session.end()
            Wire.tell("over")
        case "again":
            do { try TerminalSession { _ in }.start() } catch { Wire.tell("refused \(error)") }
        case "exit": _exit(0)
        case "return": exit(0)
        default: Wire.tell("what is \(command)")
        }
    }

    /// A kilobyte of text as a frame.
    private static let frame = TerminalBytes(escaped: String(repeating: "F", count: 1024))

    /// A frame of an empty screen, which ends with a status request.
    private static var painted: TerminalBytes {
        let size = CellSize(clamping: 3, 1)
        var painter = Painter(size: size, depth: .truecolor)
        return painter.paint(CellGrid(size: size)).bytes
    }

    /// Frames that show an image by kitty's protocol: it follows the frame that clears the screen.
    private static var imageFrames: [TerminalBytes] {
        var options = ImageRenderer.Options(mode: .kitty, depth: .truecolor)
        options.cellPixels = PixelSize(width: 10, height: 20)
        options.codecs = PixelCodecs(png: { $0.bytes }, jpeg: { image, _ in image.bytes })
        var renderer = ImageRenderer(options)
        guard let image = try? renderer.image(of: PixelBuffer(size: PixelSize(width: 20, height: 20))) else {
            return []
        }
        var grid = CellGrid(size: CellSize(clamping: 3, 2))
        grid.put(image, at: CellPosition(column: 0, row: 0))
        var painter = Painter(size: grid.size, depth: .truecolor)
        return [painter.paint(grid).bytes, painter.paint(grid).bytes]
    }

    private static func words(for event: TerminalSession.Event) -> String {
        switch event {
        case .input(.key(let key)): "key \(key.code)"
        case .input(.reply(let reply)): "reply \(reply)"
        case .input(let other): "input \(other)"
        case .resized(let window): "resized \(window.columns)x\(window.rows)"
        case .continued: "continued"
        case .drained: "drained"
        case .ended(let signal): "ended \(signal)"
        case .closed: "closed"
        }
    }
}
