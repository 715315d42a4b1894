internal import SpyglassCatalog

extension UIStrings {
    static let french = UIStrings(
        decimalSeparator: ",",
        home: Home(
            tagline: { "Photos de \($0), dans le terminal" }, prompt: "Rechercher des photos",
            recent: "Recherches récentes", suggestions: "À découvrir", resume: { "Reprendre « \($0) » à \($1)" },
            source: "Source", archiveHolds: { "Cette archive contient : \($0)" },
            operands: ["tumblr": "BLOG ou tag:MOT", "apod": "rien, date:PREMIER..DERNIER ou count:NOMBRE"]),
        list: List(
            everything: "Tout", searching: { "Recherche de « \($0) »" },
            nothingFound: { "Aucun résultat pour « \($0) »" },
            reading: { "Lecture de \($0)" }, emptyFolder: { "Aucune image dans \($0)" },
            nothingFoundHint: "Essayez moins de mots, d’autres mots, ou sans filtre.",
            loading: "Chargement de la suite", loadingFailed: "La suite n’a pas pu être chargée",
            end: { "Fin : \($1) \($0 < 2 ? "photo" : "photos")" }, offline: "hors ligne", stale: "peut-être périmé",
            archive: "archive"),
        detail: Detail(
            photographer: "Photographe", date: "Date", center: "Centre", location: "Lieu", keywords: "Mots-clés",
            credit: "Crédit", license: "Licence", kind: "Type", original: "Original", page: "Page", picture: "image"),
        pictureStatus: { "erreur \($0)" },
        pictureTruncated: { "tronquée : \($0) lignes sur \($1)" },
        pictures: [
            .notFound: "introuvable", .unreachable: "pas de réseau", .timedOut: "délai dépassé",
            .tooLarge: "trop grande", .refused: "refusée", .notRecorded: "pas dans l’archive",
            .notCached: "pas dans le cache", .unavailable: "indisponible", .notAPicture: "pas une image",
            .unsupported: "format inconnu", .damaged: "endommagée", .outOfMemory: "mémoire épuisée", .unknown: "échec",
        ],
        info: Info(
            title: "À propos de cette photo", camera: "Appareil", lens: "Objectif", exposure: "Exposition",
            pixels: "Pixels", profile: "Profil", format: "Format", progressive: "progressif", software: "Logiciel",
            modified: "Modifié", address: "Adresse", reading: "Lecture du fichier",
            frames: { "\($0) images" }, megapixels: { "\($0) mégapixels" }, onFilm: { "\($0) en 24 × 36" }),
        settings: Settings(
            title: "Réglages", source: "Source", arrangement: "Affichage", list: "liste", grid: "grille",
            density: "Taille des miniatures", textSize: "Texte par photo", oneLine: "une ligne de texte",
            lines: { _, written in "\(written) lignes" }, pixels: "Images", halfBlocks: "demi-blocs",
            quadrants: "quadrants", sextants: "sextants", octants: "octants", color: "Couleurs", noColor: "aucune",
            colors: { _, written in "\(written) couleurs" }, theme: "Thème", dark: "sombre", light: "clair",
            neutral: "neutre",
            language: "Langue", memoryLimit: "Mémoire pour les images", diskLimit: "Cache sur disque",
            safeSearch: "Recherche filtrée", mouse: "Souris",
            automatic: "automatique", on: "oui", off: "non",
            animations: "Animations", selectedAnimation: "sélectionnée", allAnimations: "toutes"),
        save: Save(
            title: "Enregistrer l’original", file: "Fichier", folder: "Dossier", size: "Taille", unknown: "inconnue",
            asking: "Taille demandée au serveur", saving: "Enregistrement", cancel: "annuler"),
        alert: UIStrings.Alert(
            searchOfAll: "La recherche a échoué", search: { "La recherche de « \($0) » a échoué" },
            folder: { "Impossible d’ouvrir \($0)" }, save: "L’image n’a pas pu être enregistrée"),
        problems: [
            .unreachable: "Le serveur est injoignable", .timedOut: "Le serveur a mis trop de temps à répondre",
            .refused: "L’adresse a été refusée", .notRecorded: "L’archive n’a rien à ce sujet",
            .notCached: "Absent du cache (hors ligne)",
        ],
        notices: Notices(
            copied: { "Copié : \($0)" }, mouseOn: "La souris fait défiler et sélectionne",
            mouseOff: "La souris est libre de sélectionner du texte",
            animationOn: "Les animations sont lues", animationOff: "Les animations sont figées",
            opened: { "Ouvert : \($0)" },
            link: { "Page : \($0)" }, cannotOpen: { "Impossible d’ouvrir la page : \($0)" },
            saved: { "Enregistré sous \($0)" }, saveCancelled: "Enregistrement annulé",
            nothingToCopy: "Aucune adresse à copier", nothingToSave: "Aucune image à enregistrer",
            noPage: "Cette photo n’a pas de page", refreshed: "Tout est à jour",
            nothingNewer: "Actualisation impossible ; résultats du cache affichés",
            cannotEnlarge: { "Impossible d'agrandir davantage : \($0)" },
            sorted: [.name: "Triées par nom", .time: "Les plus récentes d’abord", .size: "Les plus grandes d’abord"]),
        mistakes: Mistakes(
            unknownFilter: { "Filtre « \($0): » inconnu. Filtres : \($1)" },
            badValue: { "« \($0) » n’est pas valable pour « \($1): ». Exemples : \($2)" },
            emptyFilter: { "« \($0): » demande une valeur" }),
        help: Help(
            title: "Touches", everywhere: "Partout", lists: "Listes", photo: "Une photo", field: "Champ de recherche",
            space: "Espace", quitOnLine: "quitter (ligne)"),
        actions: [
            .changeOrder: "changer l’ordre",
            .up: "haut", .down: "bas", .left: "gauche", .right: "droite", .pageUp: "page préc.",
            .pageDown: "page suiv.", .first: "début", .last: "fin", .open: "ouvrir", .back: "retour", .quit: "quitter",
            .search: "rechercher", .help: "aide", .settings: "réglages", .toggleArrangement: "liste/grille",
            .denser: "plus petit", .looser: "plus grand", .refresh: "actualiser", .retry: "réessayer",
            .fullScreen: "plein écran", .toggleText: "texte entier",
            .nextPhoto: "suivante", .previousPhoto: "précédente",
            .nextPicture: "suivante du billet", .previousPicture: "précédente du billet",
            .zoomIn: "plus grand", .zoomOut: "plus petit",
            .zoomToFit: "ajuster",
            .zoomToPixels: "taille réelle", .openPage: "ouvrir la page", .save: "enregistrer",
            .info: "détails",
            .copyAddress: "copier l’adresse", .caretLeft: "gauche", .caretRight: "droite", .caretStart: "au début",
            .caretEnd: "à la fin", .wordLeft: "mot précédent", .wordRight: "mot suivant",
            .deleteBackward: "effacer avant", .deleteForward: "effacer", .deleteWord: "effacer le mot",
            .deleteToStart: "effacer jusqu’au début", .deleteToEnd: "effacer jusqu’à la fin", .submit: "rechercher",
            .olderSearch: "recherche précédente", .newerSearch: "recherche suivante", .toggleAnimation: "animation",
            .toggleMouse: "souris",
            .repaint: "redessiner", .suspend: "suspendre", .interrupt: "quitter aussitôt",
        ],
        pairs: [
            .change: "changer", .choose: "choisir", .scroll: "défiler", .page: "page",
            .photo: "photo", .picture: "image", .zoom: "zoom", .size: "taille",
        ])
}
