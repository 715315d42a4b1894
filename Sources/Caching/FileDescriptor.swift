internal import Glibc

/// A file descriptor that is closed when its owner goes (`close`).
struct FileDescriptor: ~Copyable, Sendable {
    let number: Int32

    /// Takes over the descriptor that a call returned.
    ///
    /// - Throws: the system's reason, when it returned none.
    init(taking number: Int32) throws(SystemFailure) {
        guard number >= 0 else { throw SystemFailure.last }
        self.number = number
    }

    deinit { close(number) }

    /// What `fstat` says.
    var status: stat {
        get throws(SystemFailure) {
            var status = stat()
            guard fstat(number, &status) == 0 else { throw SystemFailure.last }
            return status
        }
    }

    /// Reads until the buffer is full or the file ends (`pread`), and says how many bytes came.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemFailure) -> Int {
        var filled = 0
        while filled < buffer.count, let base = buffer.baseAddress {
            let count = pread(number, base + filled, buffer.count - filled, offset + filled)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemFailure.last }
            if count == 0 { break }
            filled += count
        }
        return filled
    }
}

extension stat {
    /// Whether it is a plain file: no folder, link, pipe or device.
    var isPlainFile: Bool { st_mode & S_IFMT == S_IFREG }
}

/// Why a system call failed: its `errno`.
struct SystemFailure: Error, Equatable {
    let code: Int32
    /// What in the folder it is about, if not the folder itself.
    var name: String?

    init(code: Int32, name: String? = nil) {
        self.code = code
        self.name = name
    }

    /// The failure of the call that was just made.
    static var last: SystemFailure { SystemFailure(code: errno) }

    /// The system's own words (`strerror`).
    var reason: String { String(cString: strerror(code)) }
}
