internal import SpyglassCatalog

extension UIStrings {
    static let english = UIStrings(
        decimalSeparator: ".",
        home: Home(
            tagline: { "Photos from \($0), in your terminal" }, prompt: "Search for photos", recent: "Recent searches",
            suggestions: "Worth a look", resume: { "Continue '\($0)' at \($1)" }, source: "Source",
            archiveHolds: { "This archive holds: \($0)" },
            operands: ["tumblr": "BLOG, or tag:WORD", "apod": "nothing, date:FIRST..LAST, or count:NUMBER"]),
        list: List(
            everything: "Everything", searching: { "Searching for '\($0)'" },
            nothingFound: { "Nothing found for '\($0)'" },
            reading: { "Reading \($0)" }, emptyFolder: { "No pictures in \($0)" },
            nothingFoundHint: "Try fewer or other words, or leave out a filter.", loading: "Loading more",
            loadingFailed: "Could not load more", end: { "End: \($1) \($0 == 1 ? "photo" : "photos")" },
            offline: "offline", stale: "may be out of date", archive: "archive"),
        detail: Detail(
            photographer: "Photographer", date: "Date", center: "Centre", location: "Place", keywords: "Keywords",
            credit: "Credit", license: "Licence", kind: "Kind", original: "Original", page: "Page", picture: "picture"),
        pictureStatus: { "error \($0)" },
        pictureTruncated: { "truncated: \($0) of \($1) rows" },
        pictures: [
            .notFound: "not found", .unreachable: "no network", .timedOut: "timed out", .tooLarge: "too large",
            .refused: "refused", .notRecorded: "not in archive", .notCached: "not in cache",
            .unavailable: "unavailable", .notAPicture: "not an image", .unsupported: "unknown format",
            .damaged: "damaged", .outOfMemory: "out of memory", .unknown: "failed",
        ],
        info: Info(
            title: "About this photo", camera: "Camera", lens: "Lens", exposure: "Exposure", pixels: "Pixels",
            profile: "Profile", format: "Format", progressive: "progressive", software: "Software",
            modified: "Modified", address: "Address", reading: "Reading the file",
            frames: { "\($0) frames" }, megapixels: { "\($0) megapixels" }, onFilm: { "\($0) on 35 mm film" }),
        settings: Settings(
            title: "Settings", source: "Source", arrangement: "View", list: "list", grid: "grid",
            density: "Thumbnail size", textSize: "Text per photo", oneLine: "one line of text",
            lines: { _, written in "\(written) lines" },
            pixels: "Images", halfBlocks: "half-blocks", quadrants: "quadrants", sextants: "sextants",
            octants: "octants", color: "Colours", noColor: "none", colors: { _, written in "\(written) colours" },
            theme: "Theme",
            dark: "dark", light: "light", neutral: "neutral", language: "Language",
            memoryLimit: "Memory for images", diskLimit: "Disk cache", safeSearch: "Safe search", mouse: "Mouse",
            automatic: "automatic",
            on: "on", off: "off",
            animations: "Animations", selectedAnimation: "selected", allAnimations: "all"),
        save: Save(
            title: "Save the original", file: "File", folder: "Folder", size: "Size", unknown: "unknown",
            asking: "Requesting the size", saving: "Saving", cancel: "cancel"),
        alert: UIStrings.Alert(
            searchOfAll: "The search failed", search: { "The search for '\($0)' failed" },
            folder: { "Cannot open \($0)" }, save: "Could not save the image"),
        problems: [
            .unreachable: "The server cannot be reached", .timedOut: "The server took too long to answer",
            .refused: "This address is not allowed", .notRecorded: "The archive has nothing for this",
            .notCached: "Not in the cache (offline)",
        ],
        notices: Notices(
            copied: { "Copied: \($0)" }, mouseOn: "The mouse scrolls and selects",
            mouseOff: "The mouse is free to select text",
            animationOn: "Animations play", animationOff: "Animations are still", opened: { "Opened: \($0)" },
            link: { "Page: \($0)" },
            cannotOpen: { "Cannot open the page: \($0)" }, saved: { "Saved as \($0)" },
            saveCancelled: "Saving was cancelled", nothingToCopy: "No address to copy",
            nothingToSave: "No image to save", noPage: "This photo has no page",
            refreshed: "Everything is up to date", nothingNewer: "Could not refresh; showing cached results",
            cannotEnlarge: { "Cannot enlarge further: \($0)" },
            sorted: [.name: "Sorted by name", .time: "Newest first", .size: "Largest first"]),
        mistakes: Mistakes(
            unknownFilter: { "Unknown filter '\($0):'. Filters: \($1)" },
            badValue: { "'\($0)' is not valid for '\($1):'. Examples: \($2)" },
            emptyFilter: { "'\($0):' needs a value" }),
        help: Help(
            title: "Keys", everywhere: "Everywhere", lists: "Lists", photo: "One photo", field: "Search field",
            space: "Space", quitOnLine: "quit, on a line"),
        actions: [
            .changeOrder: "change order",
            .up: "up", .down: "down", .left: "left", .right: "right", .pageUp: "page up", .pageDown: "page down",
            .first: "first", .last: "last", .open: "open", .back: "back", .quit: "quit", .search: "search",
            .help: "help", .settings: "settings", .toggleArrangement: "list or grid", .denser: "smaller",
            .looser: "larger", .refresh: "refresh", .retry: "retry", .fullScreen: "full screen",
            .toggleText: "all text",
            .nextPhoto: "next", .previousPhoto: "previous",
            .nextPicture: "next in the post", .previousPicture: "previous in the post",
            .zoomIn: "larger", .zoomOut: "smaller", .zoomToFit: "fit",
            .zoomToPixels: "actual size", .openPage: "open page", .save: "save",
            .info: "details",
            .copyAddress: "copy address",
            .caretLeft: "left",
            .caretRight: "right", .caretStart: "to the start", .caretEnd: "to the end", .wordLeft: "word left",
            .wordRight: "word right", .deleteBackward: "delete back", .deleteForward: "delete",
            .deleteWord: "delete word", .deleteToStart: "delete to start", .deleteToEnd: "delete to end",
            .submit: "search", .olderSearch: "older search", .newerSearch: "newer search",
            .toggleAnimation: "animation", .toggleMouse: "mouse",
            .repaint: "repaint", .suspend: "suspend", .interrupt: "quit at once",
        ],
        pairs: [
            .change: "change", .choose: "choose", .scroll: "scroll", .page: "page",
            .photo: "photo", .picture: "picture", .zoom: "zoom", .size: "size",
        ])
}
