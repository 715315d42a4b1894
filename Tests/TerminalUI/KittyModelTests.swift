import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

/// Rules of kitty's graphics protocol, as kitty 0.26.5 follows them.
@Suite("TerminalModel: kitty's images")
struct KittyModelTests {
    private static let size = CellSize(clamping: 40, 10)
    private var terminal = TerminalModel(size: Self.size)

    private func data(_ number: Int, cells: (columns: Int, rows: Int)? = nil) -> String {
        ModelPicture(number, length: 20, cells: cells).data
    }

    private func part(_ number: Int, _ row: Int, _ column: Int) -> TerminalModel.Part {
        TerminalModel.Part(name: "T\(number)", row: row, column: column)
    }

    /// Commands at the upper left corner, in a synchronized block.
    private mutating func run(_ commands: String...) {
        let all = commands.map { "\u{1B}_G\($0)\u{1B}\\" }.joined()
        terminal.read(Array("\u{1B}[?2026h\u{1B}[1;1H\(all)\u{1B}[?2026l".utf8))
    }

    @Test("An image sent again under its id loses its placements and frames")
    mutating func replacement() {
        run("a=t,i=7,f=24,s=80,v=80,q=2;\(data(1))", "a=p,i=7,p=1,C=1,q=2")
        #expect(terminal.part(column: 7, row: 3) == part(1, 3, 7))
        run("a=f,i=7,r=2,z=40,q=2;\(data(1))")
        #expect(terminal.pictures.memory == 2 * 80 * 80 * 4)
        run("a=t,i=7,f=24,s=80,v=80,q=2;\(data(2))")
        #expect(terminal.part(column: 0, row: 0) == nil && terminal.pictures.memory == 80 * 80 * 4)
        #expect(terminal.faults == [])
    }

    @Test("A placement moves, a part is cut, one is removed alone, and a capital letter frees all that are not shown")
    mutating func placements() {
        run("a=t,i=7,f=24,s=80,v=80,q=2;\(data(1))", "a=p,i=7,p=1,C=1,q=2")
        run("a=p,i=7,p=1,C=1,x=20,y=40,w=60,h=40,q=2")
        #expect(terminal.part(column: 0, row: 0) == part(1, 2, 2) && terminal.part(column: 6, row: 0) == nil)
        run("a=p,i=7,p=2,C=1,q=2", "a=d,d=i,i=7,p=1,q=2")
        #expect(terminal.part(column: 0, row: 0) == part(1, 0, 0) && terminal.pictures.count == 1)
        run("a=t,i=8,f=24,s=80,v=80,q=2;\(data(2))", "a=d,d=I,i=7,q=2")
        // The other image, which is not shown, too.
        #expect(terminal.part(column: 0, row: 0) == nil && terminal.pictures.count == 0)
        #expect(terminal.faults == [])
    }

    @Test("An image of fewer pixels is stretched to its cells, and its parts in proportion")
    mutating func scaling() {
        run("a=t,i=7,f=24,s=40,v=20,q=2;\(data(1, cells: (8, 4)))", "a=p,i=7,p=1,C=1,c=8,r=4,q=2")
        #expect(terminal.part(column: 7, row: 3) == part(1, 3, 7))
        run("a=p,i=7,p=1,C=1,x=10,y=5,w=30,h=15,c=6,r=3,q=2")
        #expect(terminal.part(column: 0, row: 0) == part(1, 1, 2) && terminal.faults == [])
        run("a=p,i=7,p=1,C=1,q=2")
        #expect(terminal.faults.count == 1)
    }

    @Test("Frames are added in order; one that was interrupted is repeated, and none is shown before it plays")
    mutating func frames() {
        run("a=t,i=7,f=24,s=80,v=80,q=2;\(data(1))", "a=f,i=7,r=2,z=40,q=2;\(data(1))")
        run("a=f,i=7,r=3,z=40,q=2,m=1;\(data(1))", "a=f,q=2,m=0;", "a=f,i=7,r=3,z=40,q=2;\(data(1))")
        run("a=a,i=7,r=1,z=40,s=3,v=1,q=2", "a=p,i=7,p=1,C=1,q=2")
        #expect(terminal.faults == [] && terminal.pictures.memory == 3 * 80 * 80 * 4)
        run("a=f,i=7,r=5,z=40,q=2;\(data(1))")
        #expect(terminal.faults.count == 1)
    }

    @Test("More memory than the quota is a fault, with all frames")
    mutating func quota() {
        terminal.pictures.quota = 2 * 80 * 80 * 4
        run("a=t,i=7,f=24,s=80,v=80,q=2;\(data(1))", "a=f,i=7,r=2,z=40,q=2;\(data(1))")
        #expect(terminal.faults == [])
        run("a=f,i=7,r=3,z=40,q=2;\(data(1))")
        #expect(terminal.faults.count == 1)
    }

    @Test("Shared memory must have as many bytes as the image, and is gone once it is read", arguments: [6400, 6399])
    mutating func sharedMemory(count: Int) {
        let folder = WatchedValue(["/x": [1, 0] + [UInt8](repeating: 0, count: count - 2)])
        terminal.pictures.takeShared = { name in
            let bytes = folder.value[name]
            folder.change { $0[name] = nil }
            return bytes
        }
        run("a=t,i=7,f=32,s=40,v=40,t=s,q=2;L3g=")
        #expect(terminal.faults.isEmpty == (count == 6400) && folder.value.isEmpty)
        #expect(terminal.pictures.count == (count == 6400 ? 1 : 0))
    }
}
