/// The commands of this version.
enum Command: String, CaseIterable, Sendable {
    case browse, list, show, resize, cache, bench, doctor, completions, help
}

/// Everything there is to say about a command; parsing, help, completions and the man page are all made from it.
struct CommandDeclaration: Sendable {
    let command: Command
    /// How its operands are written: `[QUERY...]`.
    let operands: String
    /// A few words for the list of commands.
    let summary: String
    /// What it does, in whole sentences.
    let text: String
    let examples: [Example]
    /// What a shell offers for its operands.
    let completes: CompletionWords

    /// A command line worth copying.
    struct Example: Sendable {
        let line: String
        let meaning: String
    }

    var name: String { command.rawValue }
}

/// What a shell offers for an operand or for the value of an option.
enum CompletionWords: Sendable {
    case nothing
    case files
    case folders
    case words([String])
}

extension Command {
    var declaration: CommandDeclaration {
        switch self {
        case .browse: return .browse
        case .list: return .list
        case .show: return .show
        case .resize: return .resize
        case .cache: return .cache
        case .bench: return .bench
        case .doctor: return .doctor
        case .completions: return .completions
        case .help: return .help
        }
    }
}

extension CommandDeclaration {
    fileprivate static var browse: CommandDeclaration {
        CommandDeclaration(
            command: .browse, operands: "[QUERY...]",
            summary: "search and look around, in full screen",
            text: """
                Takes the whole terminal: search, scroll without end, look at one picture in full, save its original; ? \
                shows the keys. Without a query it begins with the search field. Settings are kept in \
                $XDG_CONFIG_HOME/spyglass, searches and the last place in $XDG_STATE_HOME/spyglass. Without a terminal, \
                or on a dumb one, it prints what list prints.
                """,
            examples: [
                Example(line: "spyglass", meaning: "begin with the search field"),
                Example(line: "spyglass apollo 11", meaning: "begin with a search"),
                Example(line: "spyglass browse --source demo", meaning: "10,000 made-up pictures, no network"),
            ],
            completes: .nothing)
    }

    fileprivate static var list: CommandDeclaration {
        CommandDeclaration(
            command: .list, operands: "[QUERY...]",
            summary: "search and print thumbnails with their titles",
            text: """
                Searches a photo source and prints each picture beside its title, photographer, date and \
                description, in the source's order. Where the output is not a terminal it prints text only, unless \
                --color or --cells is given. A picture that keeps the list waiting for \
                \(ListRun.patience.components.seconds) seconds is printed as a placeholder and counted as failed.
                """,
            examples: [
                Example(line: "spyglass list apollo 11", meaning: "the first \(Options().limit.maximum) pictures"),
                Example(line: "spyglass list --year 1969-1972", meaning: "everything of some years"),
                Example(line: "spyglass list mars -n 5 --json", meaning: "one JSON object a line"),
            ],
            completes: .nothing)
    }

    fileprivate static var show: CommandDeclaration {
        CommandDeclaration(
            command: .show, operands: "FILE|URL|-...",
            summary: "print pictures",
            text: """
                Prints JPEG and PNG pictures, one after another; - is standard input. A picture fits the terminal \
                less one row, and is never enlarged unless asked. A damaged picture shows the part that is there.
                """,
            examples: [
                Example(line: "spyglass show photo.jpg", meaning: "one picture"),
                Example(line: "spyglass show --cells 40x20 *.png", meaning: "several, small"),
                Example(line: "cat m31.jpg | spyglass show -", meaning: "from a pipe"),
            ],
            completes: .files)
    }

    fileprivate static var resize: CommandDeclaration {
        CommandDeclaration(
            command: .resize, operands: "FILE|FOLDER|URL...",
            summary: "make resized files of pictures, ten or ten million",
            text: """
                Makes a resized JPEG or PNG of every picture: of files, of folders with all files in them that end \
                in .jpg, .jpeg, .jpe, .jfif or .png and are not hidden, of addresses, of the lines of a manifest, of what \
                a search finds. Upright, in sRGB, without metadata. It may be stopped \
                at any moment and started again: no file is ever half written, what is up to date is skipped, what failed \
                is tried again. An input is never overwritten, nor is a file that another program made. The same inputs \
                and options give the same bytes. A picture that is cut or damaged fails; the others go on. Exits 1 when \
                any failed.
                """,
            examples: [
                Example(line: "spyglass resize photos/ --out thumbs", meaning: "a whole folder, its tree kept"),
                Example(
                    line: "spyglass resize *.jpg --out web --size 320 --size 1280x", meaning: "two sizes of each"),
                Example(
                    line: "spyglass resize --search mars --limit 500 --out thumbs", meaning: "what a search finds"),
                Example(
                    line: "spyglass resize --manifest list.jsonl --report - --out thumbs",
                    meaning: "for programs: JSON lines in and out"),
            ],
            completes: .files)
    }

    fileprivate static var cache: CommandDeclaration {
        CommandDeclaration(
            command: .cache, operands: CacheTask.allCases.map(\.rawValue).joined(separator: "|"),
            summary: "look after the disk cache",
            text: """
                stats says what the disk cache holds, verify reads every entry and removes the damaged ones, trim removes \
                what was used least recently until the cache is within its limit, clear removes every entry, and path \
                prints the folder. Files that are not the cache's own are left alone. Several programs may use one \
                cache, also while it is looked after.
                """,
            examples: [
                Example(line: "spyglass cache stats", meaning: "entries, bytes, limit"),
                Example(line: "spyglass cache trim --disk-limit 100MiB", meaning: "keep the latest 100 MiB"),
                Example(line: "spyglass cache path", meaning: "where it is"),
            ],
            completes: .words(CacheTask.allCases.map(\.rawValue)))
    }

    fileprivate static var bench: CommandDeclaration {
        CommandDeclaration(
            command: .bench, operands: "\(BenchParts.names.joined(separator: "|")) [FILE|FOLDER...]",
            summary: "measure the parts of the program here",
            text: """
                Measures the parts of the program on this machine, each beside what others do in the same run: pictures \
                are decoded beside the C library called plainly, resized beside a copy of their bytes, the memory cache stands beside a \
                dictionary under a lock, a frame of the browser beside a full repaint. The disk cache is measured in a folder of its own below $TMPDIR. Samples are made \
                in memory, unless files or folders of pictures are given. A figure is the median of many samples, with \
                the distance between their quartiles; instructions are counted where the system allows it. --baseline \
                exits 1 when a figure is worse than the saved one: it takes a tenth more instructions; or a quarter more \
                time, beyond what the spreads of both explain, and twice at most; or one percent more bytes or fewer hits. What looks slower \
                is taken a second time, and the better take counts. Of another effort, or another machine, times decide \
                nothing; another build, and other pictures or addresses, cannot be compared. A figure that cannot be \
                taken is said and left out; then it exits 1. Ctrl-C prints what was taken, and saves nothing. The JSON has "machine", "run" (how it was taken) and \
                "results", each with "name", "value", "unit", "spread", "samples" and, where there are some, "rival", \
                "ratio", "ratio_spread", "instructions", "cycles"; --baseline adds "against" with the old "value", \
                and as a multiple of it "cost" and "instruction_cost", and "worse". A ratio above 1: we are ahead.
                """,
            examples: [
                Example(line: "spyglass bench all --quick", meaning: "all but transfers, in a minute"),
                Example(line: "spyglass bench decode photos/", meaning: "your own pictures"),
                Example(
                    line: "spyglass bench fetch --urls list.txt --connections 32", meaning: "addresses, one a line"),
                Example(line: "spyglass bench all --save before.json", meaning: "keep the figures"),
                Example(line: "spyglass bench all --baseline before.json", meaning: "what has become slower?"),
            ],
            completes: .words(BenchParts.names))
    }

    fileprivate static var doctor: CommandDeclaration {
        CommandDeclaration(
            command: .doctor, operands: "",
            summary: "say what was found here, and by what evidence",
            text: """
                Reports the terminal, its size and colours, the locale, the libraries and the source, each with the \
                evidence for it. With --archive it also checks the archive. Exits 1 when something that is needed is \
                missing.
                """,
            examples: [
                Example(line: "spyglass doctor", meaning: "for people"),
                Example(line: "spyglass doctor --json", meaning: "for a bug report"),
            ],
            completes: .nothing)
    }

    fileprivate static var completions: CommandDeclaration {
        CommandDeclaration(
            command: .completions, operands: "bash|zsh|fish",
            summary: "print a completion script for a shell",
            text: "Prints a script that lets a shell complete commands, options and their values.",
            examples: [
                Example(line: "source <(spyglass completions bash)", meaning: "in ~/.bashrc"),
                Example(line: "spyglass completions zsh > ~/.zfunc/_spyglass", meaning: "in a folder of $fpath"),
                Example(
                    line: "spyglass completions fish > ~/.config/fish/completions/spyglass.fish", meaning: "for fish"),
            ],
            completes: .words(Shell.allCases.map(\.rawValue)))
    }

    fileprivate static var help: CommandDeclaration {
        CommandDeclaration(
            command: .help, operands: "[COMMAND]",
            summary: "explain a command and its options",
            text: "Explains a command and the options that have a meaning for it.",
            examples: [Example(line: "spyglass help list", meaning: "the same as spyglass list --help")],
            completes: .words(Command.allCases.map(\.rawValue)))
    }
}

/// The shells that completions are written for.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}
