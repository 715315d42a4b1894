internal import SpyglassCatalog

extension UIStrings {
    static let spanish = UIStrings(
        decimalSeparator: ",",
        home: Home(
            tagline: { "Fotos de \($0), en tu terminal" }, prompt: "Buscar fotos", recent: "Búsquedas recientes",
            suggestions: "Vale la pena ver", resume: { "Continuar «\($0)» en \($1)" }, source: "Fuente",
            archiveHolds: { "Este archivo contiene: \($0)" },
            operands: ["tumblr": "BLOG o tag:PALABRA", "apod": "nada, date:PRIMERO..ÚLTIMO o count:NÚMERO"]),
        list: List(
            everything: "Todo", searching: { "Buscando «\($0)»" }, nothingFound: { "No hay nada para «\($0)»" },
            reading: { "Leyendo \($0)" }, emptyFolder: { "No hay imágenes en \($0)" },
            nothingFoundHint: "Prueba con menos palabras, con otras o sin algún filtro.", loading: "Cargando más",
            loadingFailed: "No se pudo cargar más", end: { "Fin: \($1) \($0 == 1 ? "foto" : "fotos")" },
            offline: "sin conexión", stale: "quizá desactualizado", archive: "archivo"),
        detail: Detail(
            photographer: "Fotografía", date: "Fecha", center: "Centro", location: "Lugar", keywords: "Etiquetas",
            credit: "Crédito", license: "Licencia", kind: "Tipo", original: "Original", page: "Página",
            picture: "imagen"),
        pictureStatus: { "fallo \($0)" },
        pictureTruncated: { "truncada: \($0) de \($1) filas" },
        pictures: [
            .notFound: "no encontrada", .unreachable: "sin red", .timedOut: "tiempo agotado",
            .tooLarge: "demasiado grande", .refused: "rechazada", .notRecorded: "no está en el archivo",
            .notCached: "no está en caché", .unavailable: "no disponible", .notAPicture: "no es una imagen",
            .unsupported: "formato desconocido", .damaged: "dañada", .outOfMemory: "sin memoria", .unknown: "error",
        ],
        info: Info(
            title: "Acerca de esta foto", camera: "Cámara", lens: "Objetivo", exposure: "Exposición",
            pixels: "Píxeles", profile: "Perfil", format: "Formato", progressive: "progresivo",
            software: "Programa", modified: "Modificado", address: "Dirección", reading: "Leyendo el archivo",
            frames: { "\($0) fotogramas" }, megapixels: { "\($0) megapíxeles" }, onFilm: { "\($0) en 35 mm" }),
        settings: Settings(
            title: "Ajustes", source: "Fuente", arrangement: "Vista", list: "lista", grid: "cuadrícula",
            density: "Tamaño de las miniaturas", textSize: "Texto por foto", oneLine: "una línea de texto",
            lines: { _, written in "\(written) líneas" }, pixels: "Imágenes", halfBlocks: "medios bloques",
            quadrants: "cuadrantes", sextants: "sextantes", octants: "octantes", color: "Colores", noColor: "ninguno",
            colors: { _, written in "\(written) colores" }, theme: "Tema", dark: "oscuro", light: "claro",
            neutral: "neutro",
            language: "Idioma", memoryLimit: "Memoria para fotos", diskLimit: "Caché en disco",
            safeSearch: "Búsqueda segura", mouse: "Ratón",
            automatic: "automático", on: "sí", off: "no",
            animations: "Animaciones", selectedAnimation: "seleccionada", allAnimations: "todas"),
        save: Save(
            title: "Guardar el original", file: "Archivo", folder: "Carpeta", size: "Tamaño", unknown: "desconocido",
            asking: "Preguntando el tamaño", saving: "Guardando", cancel: "cancelar"),
        alert: UIStrings.Alert(
            searchOfAll: "La búsqueda falló", search: { "La búsqueda de «\($0)» falló" },
            folder: { "No se puede abrir \($0)" }, save: "No se pudo guardar la foto"),
        problems: [
            .unreachable: "No se puede conectar con el servidor", .timedOut: "El servidor tardó demasiado en responder",
            .refused: "La dirección fue rechazada", .notRecorded: "El archivo no tiene nada de esto",
            .notCached: "No está en la caché (sin conexión)",
        ],
        notices: Notices(
            copied: { "Copiado: \($0)" }, mouseOn: "El ratón desplaza y elige",
            mouseOff: "El ratón queda libre para seleccionar texto",
            animationOn: "Las animaciones se reproducen", animationOff: "Las animaciones están quietas",
            opened: { "Abierto: \($0)" },
            link: { "Página: \($0)" }, cannotOpen: { "No se puede abrir la página: \($0)" },
            saved: { "Guardado como \($0)" }, saveCancelled: "Se canceló el guardado",
            nothingToCopy: "No hay dirección que copiar", nothingToSave: "No hay foto que guardar",
            noPage: "Esta foto no tiene página", refreshed: "Todo está al día",
            nothingNewer: "No se pudo actualizar; se muestran resultados guardados",
            cannotEnlarge: { "No se puede ampliar más: \($0)" },
            sorted: [
                .name: "Ordenadas por nombre", .time: "Las más recientes primero", .size: "Las más grandes primero",
            ]),
        mistakes: Mistakes(
            unknownFilter: { "Filtro «\($0):» desconocido. Filtros: \($1)" },
            badValue: { "«\($0)» no es válido para «\($1):». Ejemplos: \($2)" },
            emptyFilter: { "«\($0):» necesita un valor" }),
        help: Help(
            title: "Teclas", everywhere: "En todas partes", lists: "Listas", photo: "Una foto",
            field: "Campo de búsqueda", space: "Espacio", quitOnLine: "salir (línea)"),
        actions: [
            .changeOrder: "cambiar el orden",
            .up: "arriba", .down: "abajo", .left: "izquierda", .right: "derecha", .pageUp: "página arriba",
            .pageDown: "página abajo", .first: "primera", .last: "última", .open: "abrir", .back: "atrás",
            .quit: "salir", .search: "buscar", .help: "ayuda", .settings: "ajustes",
            .toggleArrangement: "lista/cuadrícula", .denser: "más pequeño", .looser: "más grande",
            .refresh: "actualizar", .retry: "reintentar", .fullScreen: "pantalla completa",
            .toggleText: "todo el texto",
            .nextPhoto: "siguiente", .previousPhoto: "anterior",
            .nextPicture: "siguiente de la entrada", .previousPicture: "anterior de la entrada",
            .zoomIn: "más grande", .zoomOut: "más pequeño", .zoomToFit: "ajustar",
            .zoomToPixels: "tamaño real", .openPage: "abrir página", .save: "guardar",
            .info: "detalles",
            .copyAddress: "copiar dirección",
            .caretLeft: "izquierda",
            .caretRight: "derecha", .caretStart: "al principio", .caretEnd: "al final", .wordLeft: "palabra anterior",
            .wordRight: "palabra siguiente", .deleteBackward: "borrar atrás", .deleteForward: "borrar",
            .deleteWord: "borrar palabra", .deleteToStart: "borrar hasta el principio",
            .deleteToEnd: "borrar hasta el final", .submit: "buscar", .olderSearch: "búsqueda anterior",
            .newerSearch: "búsqueda siguiente", .toggleAnimation: "animación", .toggleMouse: "ratón",
            .repaint: "redibujar", .suspend: "suspender",
            .interrupt: "salir ya",
        ],
        pairs: [
            .change: "cambiar", .choose: "elegir", .scroll: "desplazar", .page: "página",
            .photo: "foto", .picture: "imagen", .zoom: "zoom", .size: "tamaño",
        ])
}
