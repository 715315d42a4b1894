internal import Glibc

/// The desktop's trash (freedesktop.org, Trash specification 1.0): files are moved, never copied.
///
///     let item = try Trash(home: "/home/ada/.local/share/Trash").put(path)
///     try Trash.restore(item)
///
/// A file on another device than the home trash goes to the trash in the topmost folder of its own device.
package struct Trash: Sendable {
    /// A file in the trash.
    package struct Item: Hashable, Sendable {
        package let original: [UInt8]
        let stored: [UInt8]
        let info: [UInt8]
    }

    /// `$XDG_DATA_HOME/Trash`; `nil` where the user has no home.
    private let home: String?
    /// Tests pretend that there are several devices.
    private let device: @Sendable ([UInt8]) throws(FileError) -> UInt64

    /// `NAME_MAX` without `.trashinfo`.
    private static let nameLimit = 245
    private static let maxEnding = 16
    private static let maxTries = 1000

    package init(home: String?) {
        self.init(home: home) { path throws(FileError) in
            try Folder.working.status(of: path, followingLinks: true).identity.device
        }
    }

    init(home: String?, device: @escaping @Sendable ([UInt8]) throws(FileError) -> UInt64) {
        (self.home, self.device) = (home, device)
    }

    /// Moves a file, or a link itself, by its absolute path; replaces nothing.
    package func put(_ path: [UInt8]) throws(FileError) -> Item {
        guard let around = path.folderAround else { throw FileError("renameat2", path.shown, code: EINVAL) }
        let original = LocalFile.absolutePath(around).appending(name: path.lastName)
        // Before anything is made for a file that has gone.
        _ = try Folder.working.status(of: original)
        let (trash, top) = try place(for: around)
        for number in 1...Self.maxTries {
            let name = Self.name(path.lastName, number)
            let info = trash.appending(name: Self.info).appending(name: name + Array(".trashinfo".utf8))
            let item = Item(
                original: original, stored: trash.appending(name: Self.files).appending(name: name), info: info)
            guard try Self.write(Self.text(original, in: top), to: info) else { continue }
            do throws(FileError) {
                if try Folder.working.renameIfAbsent(original, to: item.stored) { return item }
                try? Folder.working.remove(info)
            } catch {
                try? Folder.working.remove(info)
                throw error.named(path.shown)
            }
        }
        throw FileError("renameat2", path.shown, code: EEXIST)
    }

    /// Moves a file back; throws `EEXIST` if another one has taken its name.
    package static func restore(_ item: Item) throws(FileError) {
        do throws(FileError) {
            guard try Folder.working.renameIfAbsent(item.stored, to: item.original) else {
                throw FileError("renameat2", code: EEXIST)
            }
        } catch { throw error.named(item.original.shown) }
        try? Folder.working.remove(item.info)
    }

    // MARK: The folders

    private static let files = Array("files".utf8)
    private static let info = Array("info".utf8)

    /// The trash for the files of a folder; paths in that of a device are relative to `top`.
    private func place(for folder: [UInt8]) throws(FileError) -> (trash: [UInt8], top: [UInt8]?) {
        let device = try device(folder)
        if let home, (try? Folder.create(home, permissions: 0o700)) != nil,
            (try? self.device(Array(home.utf8))) == device
        {
            let trash = Array(home.utf8)
            try prepare(trash, followingLinks: true)
            return (trash, nil)
        }
        var top = LocalFile.absolutePath(folder)
        while let around = top.folderAround, (try? self.device(around)) == device { top = around }
        let user = Array("\(geteuid())".utf8)
        // The administrator's folder for all users. A link is refused, and a folder in which others could replace ours.
        let common = top.appending(name: Array(".Trash".utf8))
        if let status = try? Folder.working.status(of: common), status.kind == .folder, status.isSticky {
            let trash = common.appending(name: user)
            if (try? prepare(trash)) != nil { return (trash, top) }
        }
        let trash = top.appending(name: Array(".Trash-".utf8) + user)
        try prepare(trash)
        return (trash, top)
    }

    /// Makes the folders that are missing, for the user alone.
    private func prepare(_ trash: [UInt8], followingLinks: Bool = false) throws(FileError) {
        for path in [trash, trash.appending(name: Self.files), trash.appending(name: Self.info)] {
            try Folder.working.createFolder(path, permissions: 0o700)
            let status = try Folder.working.status(of: path, followingLinks: followingLinks)
            guard status.kind == .folder else { throw FileError("mkdirat", path.shown, code: ENOTDIR) }
            guard status.owner == geteuid() else { throw FileError("mkdirat", path.shown, cause: .foreign) }
        }
    }

    /// `a.jpg`, then `a.2.jpg`, `a.3.jpg`.
    private static func name(_ name: [UInt8], _ number: Int) -> [UInt8] {
        let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? 0
        let end = dot > 0 && name.count - dot <= maxEnding ? dot : name.count
        let ending = (number > 1 ? Array(".\(number)".utf8) : []) + name[end...]
        return name[..<end].prefix(nameLimit - ending.count) + ending
    }

    // MARK: The information

    /// Returns `false` if the name is taken.
    private static func write(_ text: String, to path: [UInt8]) throws(FileError) -> Bool {
        do throws(FileError) {
            let file = try Folder.working.open(path, [.write, .create, .exclusive], permissions: 0o600)
            do throws(FileError) { try file.write(Array(text.utf8)) } catch {
                try? Folder.working.remove(path)
                throw error
            }
            return true
        } catch {
            guard error.code != EEXIST else { return false }
            throw error.named(path.shown)
        }
    }

    private static func text(_ original: [UInt8], in top: [UInt8]?) -> String {
        let path = top.map { Array(original[$0.count...].drop { $0 == UInt8(ascii: "/") }) } ?? original
        let now = LocalFile.localTime(.seconds(time(nil))) ?? "1970-01-01T00:00:00"
        return "[Trash Info]\nPath=\(encoded(path))\nDeletionDate=\(now)\n"
    }

    /// The bytes with `%XX` for all but unreserved characters and slashes (RFC 2396).
    private static func encoded(_ path: [UInt8]) -> String {
        path.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                return String(UnicodeScalar(byte))
            case let byte where "/-_.~".utf8.contains(byte): return String(UnicodeScalar(byte))
            default: return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
