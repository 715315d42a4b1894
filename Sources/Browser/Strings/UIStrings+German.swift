internal import SpyglassCatalog

extension UIStrings {
    static let german = UIStrings(
        decimalSeparator: ",",
        home: Home(
            tagline: { "Fotos von \($0), im Terminal" }, prompt: "Fotos suchen", recent: "Letzte Suchen",
            suggestions: "Sehenswert", resume: { "Weiter mit „\($0)“ bei \($1)" }, source: "Quelle",
            archiveHolds: { "Dieses Archiv enthält: \($0)" },
            operands: ["tumblr": "BLOG oder tag:WORT", "apod": "nichts, date:ERSTER..LETZTER oder count:ANZAHL"]),
        list: List(
            everything: "Alles", searching: { "Suche nach „\($0)“" }, nothingFound: { "Nichts gefunden zu „\($0)“" },
            reading: { "\($0) wird gelesen" }, emptyFolder: { "Keine Bilder in \($0)" },
            nothingFoundHint: "Weniger oder andere Wörter versuchen, oder einen Filter weglassen.",
            loading: "Lade weitere", loadingFailed: "Weitere konnten nicht geladen werden",
            end: { "Ende: \($1) \($0 == 1 ? "Foto" : "Fotos")" }, offline: "offline", stale: "vielleicht veraltet",
            archive: "Archiv"),
        detail: Detail(
            photographer: "Fotograf", date: "Datum", center: "Zentrum", location: "Ort", keywords: "Stichwörter",
            credit: "Nachweis", license: "Lizenz", kind: "Art", original: "Original", page: "Seite", picture: "Bild"),
        pictureStatus: { "Fehler \($0)" },
        pictureTruncated: { "abgeschnitten: \($0) von \($1) Zeilen" },
        pictures: [
            .notFound: "nicht gefunden", .unreachable: "kein Netz", .timedOut: "Zeit abgelaufen", .tooLarge: "zu groß",
            .refused: "abgelehnt", .notRecorded: "nicht im Archiv", .notCached: "nicht im Cache",
            .unavailable: "nicht verfügbar", .notAPicture: "kein Bild", .unsupported: "Format unbekannt",
            .damaged: "beschädigt", .outOfMemory: "zu wenig Speicher", .unknown: "fehlgeschlagen",
        ],
        info: Info(
            title: "Über dieses Foto", camera: "Kamera", lens: "Objektiv", exposure: "Belichtung", pixels: "Pixel",
            profile: "Farbprofil", format: "Format", progressive: "progressiv", software: "Software",
            modified: "Geändert", address: "Adresse", reading: "Datei wird gelesen",
            frames: { "\($0) Einzelbilder" }, megapixels: { "\($0) Megapixel" }, onFilm: { "\($0) auf Kleinbild" }),
        settings: Settings(
            title: "Einstellungen", source: "Quelle", arrangement: "Ansicht", list: "Liste", grid: "Raster",
            density: "Größe der Vorschaubilder", textSize: "Text je Foto", oneLine: "eine Textzeile",
            lines: { _, written in "\(written) Zeilen" }, pixels: "Bilder", halfBlocks: "Halbblöcke",
            quadrants: "Quadranten", sextants: "Sextanten", octants: "Oktanten", color: "Farben", noColor: "keine",
            colors: { _, written in "\(written) Farben" }, theme: "Farbschema", dark: "dunkel", light: "hell",
            neutral: "neutral",
            language: "Sprache", memoryLimit: "Speicher für Bilder", diskLimit: "Cache auf der Platte",
            safeSearch: "Sichere Suche", mouse: "Maus",
            automatic: "automatisch", on: "an", off: "aus",
            animations: "Animationen", selectedAnimation: "ausgewählte", allAnimations: "alle"),
        save: Save(
            title: "Original speichern", file: "Datei", folder: "Ordner", size: "Größe", unknown: "unbekannt",
            asking: "Frage nach der Größe", saving: "Speichere", cancel: "abbrechen"),
        alert: UIStrings.Alert(
            searchOfAll: "Die Suche ist fehlgeschlagen", search: { "Die Suche nach „\($0)“ ist fehlgeschlagen" },
            folder: { "\($0) lässt sich nicht öffnen" }, save: "Das Bild konnte nicht gespeichert werden"),
        problems: [
            .unreachable: "Der Server ist nicht zu erreichen", .timedOut: "Der Server hat zu lange nicht geantwortet",
            .refused: "Die Adresse wurde abgelehnt", .notRecorded: "Das Archiv hat dazu nichts",
            .notCached: "Nicht im Cache (offline)",
        ],
        notices: Notices(
            copied: { "Kopiert: \($0)" }, mouseOn: "Die Maus blättert und wählt aus",
            mouseOff: "Die Maus ist frei, um Text zu markieren",
            animationOn: "Animationen laufen", animationOff: "Animationen stehen still", opened: { "Geöffnet: \($0)" },
            link: { "Seite: \($0)" }, cannotOpen: { "Die Seite lässt sich nicht öffnen: \($0)" },
            saved: { "Gespeichert als \($0)" }, saveCancelled: "Speichern abgebrochen",
            nothingToCopy: "Es gibt keine Adresse zum Kopieren", nothingToSave: "Es gibt kein Bild zum Speichern",
            noPage: "Dieses Foto hat keine Seite", refreshed: "Alles ist auf dem neuesten Stand",
            nothingNewer: "Aktualisieren nicht möglich; gezeigt wird der gespeicherte Stand",
            cannotEnlarge: { "Weiter vergrößern nicht möglich: \($0)" },
            sorted: [.name: "Nach Namen sortiert", .time: "Neueste zuerst", .size: "Größte zuerst"]),
        mistakes: Mistakes(
            unknownFilter: { "Unbekannter Filter „\($0):“. Filter: \($1)" },
            badValue: { "„\($0)“ ist für „\($1):“ nicht gültig. Beispiele: \($2)" },
            emptyFilter: { "„\($0):“ braucht einen Wert" }),
        help: Help(
            title: "Tasten", everywhere: "Überall", lists: "Listen", photo: "Ein Foto", field: "Suchfeld",
            space: "Leertaste", quitOnLine: "beenden (Zeile)"),
        actions: [
            .changeOrder: "Reihenfolge",
            .up: "hoch", .down: "runter", .left: "links", .right: "rechts", .pageUp: "Seite hoch",
            .pageDown: "Seite runter", .first: "Anfang", .last: "Ende", .open: "öffnen", .back: "zurück",
            .quit: "beenden", .search: "suchen", .help: "Hilfe", .settings: "Einstellungen",
            .toggleArrangement: "Liste/Raster", .denser: "kleiner", .looser: "größer", .refresh: "aktualisieren",
            .retry: "noch einmal", .fullScreen: "Vollbild", .toggleText: "ganzer Text",
            .nextPhoto: "nächstes", .previousPhoto: "voriges",
            .nextPicture: "nächstes im Beitrag", .previousPicture: "voriges im Beitrag",
            .zoomIn: "größer", .zoomOut: "kleiner",
            .zoomToFit: "einpassen",
            .zoomToPixels: "Originalgröße", .openPage: "Seite öffnen",
            .save: "speichern",
            .info: "Details",
            .copyAddress: "Adresse kopieren", .caretLeft: "links", .caretRight: "rechts",
            .caretStart: "zum Anfang", .caretEnd: "zum Ende", .wordLeft: "Wort links", .wordRight: "Wort rechts",
            .deleteBackward: "links löschen", .deleteForward: "löschen", .deleteWord: "Wort löschen",
            .deleteToStart: "bis Anfang löschen", .deleteToEnd: "bis Ende löschen", .submit: "suchen",
            .olderSearch: "ältere Suche", .newerSearch: "neuere Suche", .toggleAnimation: "Animation",
            .toggleMouse: "Maus", .repaint: "neu zeichnen",
            .suspend: "anhalten", .interrupt: "sofort beenden",
        ],
        pairs: [
            .change: "ändern", .choose: "wählen", .scroll: "blättern", .page: "Seite",
            .photo: "Foto", .picture: "Bild", .zoom: "Zoom", .size: "Größe",
        ])
}
