import Glibc
import SpyglassTestSupport
import Testing

@testable import SpyglassFiles

@Suite("Trash")
struct TrashTests {
    private let folder: TemporaryFolder
    private let trash: Trash

    init() throws {
        folder = try TemporaryFolder()
        trash = Trash(home: folder.path("home/Trash"))
    }

    private func bytes(_ name: String) -> [UInt8] { Array(folder.path(name).utf8) }

    /// A trash for a folder of which `usb` seems to be another device.
    private func trashWithDevices() -> Trash {
        let usb = bytes("usb")
        return Trash(home: folder.path("home/Trash")) { path throws(FileError) in path.starts(with: usb) ? 2 : 1 }
    }

    @Test("A file is moved with the path that it had, and comes back")
    func roundTrip() throws {
        try folder.write("a b/ü 100%.jpg", "picture")
        let item = try trash.put(bytes("a b/ü 100%.jpg"))
        #expect(folder.files == ["home/Trash/files/ü 100%.jpg", "home/Trash/info/ü 100%.jpg.trashinfo"])
        let text = try folder.text("home/Trash/info/ü 100%.jpg.trashinfo")
        let start = "[Trash Info]\nPath=\(folder.path)/a%20b/%C3%BC%20100%25.jpg\nDeletionDate=20"
        #expect(text.hasPrefix(start) && text.utf8.count == start.utf8.count + "26-11-28T04:09:39\n".utf8.count)
        #expect(try Folder.working.status(of: folder.path("home/Trash/files")).permissions == 0o700)
        try Trash.restore(item)
        #expect(try folder.files == ["a b/ü 100%.jpg"] && folder.text("a b/ü 100%.jpg") == "picture")
    }

    @Test("Equal names get numbers, and long ones are cut")
    func names() throws {
        let long = String(repeating: "x", count: 250) + ".jpg"
        for name in ["a.jpg", "a.jpg", "a.jpg", ".hidden", ".hidden", long] {
            try folder.write(name, name)
            _ = try trash.put(bytes(name))
        }
        let names = folder.files.filter { $0.contains("/files/") }.map { String($0.split(separator: "/").last ?? "") }
        #expect(Set(names).isSuperset(of: ["a.jpg", "a.2.jpg", "a.3.jpg", ".hidden", ".hidden.2"]))
        #expect(names.contains { $0.hasPrefix("xxx") && $0.hasSuffix(".jpg") && $0.utf8.count == 245 })
    }

    @Test("A link is moved itself")
    func link() throws {
        try folder.write("a.jpg", "picture")
        try folder.link("link.jpg", to: "a.jpg")
        _ = try trash.put(bytes("link.jpg"))
        #expect(try Folder.working.status(of: folder.path("home/Trash/files/link.jpg")).kind == .link)
        #expect(try folder.text("a.jpg") == "picture")
    }

    @Test("Nothing is replaced on the way back")
    func taken() throws {
        try folder.write("a.jpg", "old")
        let item = try trash.put(bytes("a.jpg"))
        try folder.write("a.jpg", "new")
        let error = #expect(throws: FileError.self) { try Trash.restore(item) }
        #expect(error?.code == EEXIST && error?.path == folder.path("a.jpg"))
        #expect(try folder.text("a.jpg") == "new")
        unlink(folder.path("a.jpg"))
        try Trash.restore(item)
        #expect(try folder.text("a.jpg") == "old")
        #expect(throws: FileError.self) { try Trash.restore(item) }
    }

    @Test("A file of another device goes to the trash there, with its path relative to it")
    func otherDevice() throws {
        try folder.write("usb/inner/a.jpg", "picture")
        let own = ".Trash-\(geteuid())"
        let item = try trashWithDevices().put(bytes("usb/inner/a.jpg"))
        #expect(folder.files == ["usb/\(own)/files/a.jpg", "usb/\(own)/info/a.jpg.trashinfo"])
        #expect(try folder.text("usb/\(own)/info/a.jpg.trashinfo").contains("\nPath=inner/a.jpg\n"))
        try Trash.restore(item)
        #expect(folder.files == ["usb/inner/a.jpg"])
    }

    @Test("An administrator's trash is used if it is a sticky folder, and no link")
    func commonTrash() throws {
        for (number, isSticky) in [true, false].enumerated() {
            try folder.write("usb/a\(number).jpg", "picture")
            mkdir(folder.path("usb/.Trash"), 0o777)
            chmod(folder.path("usb/.Trash"), isSticky ? 0o1777 : 0o777)
            _ = try trashWithDevices().put(bytes("usb/a\(number).jpg"))
            let place = isSticky ? ".Trash/\(geteuid())" : ".Trash-\(geteuid())"
            #expect(folder.files.contains("usb/\(place)/files/a\(number).jpg"), "\(folder.files)")
        }
        try folder.write("usb2/real/x", "")
        chmod(folder.path("usb2/real"), 0o1777)
        try folder.link("usb2/.Trash", to: "real")
        try folder.write("usb2/b.jpg", "picture")
        _ = try trashWithDevices().put(bytes("usb2/b.jpg"))
        #expect(folder.files.contains("usb2/.Trash-\(geteuid())/files/b.jpg"))
    }

    @Test("Where no trash can be made, the file stays, and the error names the reason")
    func impossible() throws {
        try folder.write("usb/a.jpg", "picture")
        // A file where the folder should be: root may write to read-only folders.
        try folder.write("usb/.Trash-\(geteuid())", "")
        let error = #expect(throws: FileError.self) { try trashWithDevices().put(bytes("usb/a.jpg")) }
        #expect(error?.code == ENOTDIR && error?.path.hasSuffix(".Trash-\(geteuid())") == true)
        #expect(try folder.text("usb/a.jpg") == "picture")
        for path in [bytes("gone.jpg"), [UInt8(ascii: "/")], bytes("a\0b")] {
            #expect(throws: FileError.self) { try trash.put(path) }
        }
    }
}
