internal import SpyglassCatalog

extension UIStrings {
    static let arabic = UIStrings(
        decimalSeparator: ".",
        home: Home(
            tagline: { "صور من \($0) في الطرفية" }, prompt: "ابحث عن صور", recent: "عمليات بحث حديثة",
            suggestions: "يستحق المشاهدة", resume: { "متابعة «\($0)» من \($1)" }, source: "المصدر",
            archiveHolds: { "يحتوي هذا الأرشيف على: \($0)" },
            operands: ["tumblr": "مدونة، أو tag:كلمة", "apod": "بلا كلمات، أو date:الأول..الأخير، أو count:عدد"],
            showAll: "عرض الكل", start: "البداية", today: { "اليوم: \($0)" }),
        list: List(
            everything: "الكل", searching: { "جارٍ البحث عن «\($0)»" }, nothingFound: { "لا نتائج عن «\($0)»" },
            reading: { "جارٍ قراءة \($0)" }, emptyFolder: { "لا توجد صور في \($0)" },
            nothingFoundHint: "جرّب كلمات أقل أو أخرى، أو احذف مرشحًا.", loading: "جارٍ تحميل المزيد",
            loadingFailed: "تعذر تحميل المزيد", filterPrompt: "العنوان أو المصور أو الوصف",
            keepFilter: "إبقاء", clearFilter: "إلغاء التصفية", noMatch: { "لا شيء مما حُمِّل يطابق «\($0)»" },
            matches: { "\($0) من \($1) محمّلة" }, loaded: { "محمّلة: \($0)" },
            end: { "النهاية: \(arabicPhotos($0, $1))" }, offline: "غير متصل",
            stale: "قد يكون قديمًا",
            marked: { "المعلَّمة: \($0)" }, endRange: "إنهاء النطاق",
            archive: "أرشيف"),
        detail: Detail(
            photographer: "المصور", date: "التاريخ", center: "المركز", location: "المكان", keywords: "كلمات مفتاحية",
            credit: "حقوق الصورة", license: "الترخيص", kind: "النوع", original: "الأصل", page: "الصفحة",
            picture: "الصورة",
            paused: "متوقف مؤقتًا", resume: "استئناف", endSlideshow: "إنهاء"),
        pictureStatus: { "خطأ \($0)" },
        pictureTruncated: { "مبتورة: \($0) من \($1) صفًا" },
        pictures: [
            .notFound: "غير موجودة", .unreachable: "لا توجد شبكة", .timedOut: "انتهت المهلة", .tooLarge: "كبيرة جدًا",
            .refused: "مرفوضة", .notRecorded: "ليست في الأرشيف", .notCached: "ليست مخزنة", .unavailable: "غير متاحة",
            .notAPicture: "ليست صورة", .unsupported: "صيغة غير معروفة", .damaged: "تالفة", .outOfMemory: "نفدت الذاكرة",
            .unknown: "فشل",
        ],
        info: Info(
            title: "عن هذه الصورة", camera: "الكاميرا", lens: "العدسة", exposure: "التعريض", pixels: "البكسلات",
            profile: "ملف الألوان", format: "الصيغة", progressive: "تدريجي", software: "البرنامج",
            modified: "آخر تعديل", address: "العنوان", reading: "جارٍ قراءة الملف",
            frames: { "عدد الإطارات: \($0)" }, megapixels: { "\($0) ميغابكسل" }, onFilm: { "\($0) على فيلم 35 مم" }),
        settings: Settings(
            title: "الإعدادات", source: "المصدر", arrangement: "العرض", list: "قائمة", grid: "شبكة",
            density: "حجم الصور المصغرة", textSize: "نص كل صورة", oneLine: "سطر نص واحد",
            lines: { _, written in "\(written) أسطر" },
            pixels: "الصور", halfBlocks: "أنصاف كتل", quadrants: "أرباع", sextants: "أسداس", octants: "أثمان",
            color: "الألوان", noColor: "بلا", colors: { _, written in "\(written) لونًا" }, theme: "السمة",
            dark: "داكنة",
            light: "فاتحة", neutral: "محايدة", language: "اللغة", memoryLimit: "ذاكرة الصور",
            diskLimit: "التخزين على القرص", safeSearch: "البحث الآمن", mouse: "الفأرة", automatic: "تلقائي", on: "نعم",
            off: "لا",
            animations: "الرسوم المتحركة", selectedAnimation: "المحددة", allAnimations: "الكل",
            slideshow: "عرض الشرائح", seconds: { "\($0) ث" }),
        save: Save(
            title: "حفظ الأصل", file: "الملف", folder: "المجلد", size: "الحجم", unknown: "غير معروف",
            asking: "جارٍ السؤال عن الحجم", saving: "جارٍ الحفظ", cancel: "إلغاء",
            all: { "حفظ الأصول: \(arabicPhotos($0, $1))" }, copies: { "تصدير نسخ مصغرة: \(arabicPhotos($0, $1))" },
            format: "الصيغة", sameFormat: "كالأصل", sizeHint: "1600 أو 1600x900 أو 50%"),
        alert: UIStrings.Alert(
            searchOfAll: "فشل البحث", search: { "فشل البحث عن «\($0)»" }, folder: { "تعذر فتح \($0)" },
            save: "تعذر حفظ الصورة", export: "تعذر التصدير",
            some: { "اكتمل \($0) من \($1)" },
            withoutNetwork: "من دون شبكة",
            inArchive: "عمليات البحث في هذا الأرشيف"),
        problems: [
            .unreachable: "تعذر الوصول إلى الخادم", .timedOut: "تأخر الخادم كثيرًا في الرد", .refused: "رُفض العنوان",
            .notRecorded: "ليس في الأرشيف شيء عن هذا", .notCached: "غير موجود في الذاكرة المؤقتة (دون اتصال)",
        ],
        notices: Notices(
            copied: { "نُسخ: \($0)" }, mouseOn: "الفأرة تمرر وتختار", mouseOff: "الفأرة حرة لتحديد النص",
            animationOn: "الرسوم المتحركة تعمل", animationOff: "الرسوم المتحركة متوقفة",
            opened: { "فُتح: \($0)" }, link: { "الصفحة: \($0)" }, cannotOpen: { "تعذر فتح الصفحة: \($0)" },
            cannotView: { "تعذر فتح الصورة: \($0)" }, saved: { "حُفظ باسم \($0)" },
            savedSmaller: { "حُفظ باسم \($0)، ملف أصغر: \($1)" },
            savedAll: { "حُفظت \($0) في \($1)" }, exported: { "صُدّرت \($0) إلى \($1)" },
            fetching: "جارٍ جلب الصورة للعارض", noViewer: "لا عارض عبر ssh؛ ينسخ y العنوان",
            saveCancelled: "أُلغي الحفظ", nothingToCopy: "لا يوجد عنوان لنسخه",
            nothingToSave: "لا توجد صورة لحفظها", noPage: "ليس لهذه الصورة صفحة",
            foldersHaveNoMarks: "لا يمكن تعليم المجلدات", refreshed: "كل شيء محدّث",
            nothingNewer: "تعذر التحديث؛ تُعرض النتائج المخزنة",
            cannotEnlarge: { "تعذر التكبير أكثر: \($0)" },
            sorted: [.name: "مرتبة حسب الاسم", .time: "الأحدث أولًا", .size: "الأكبر أولًا"]),
        mistakes: Mistakes(
            unknownFilter: { "مرشح غير معروف «\($0):». المرشحات: \($1)" },
            badValue: { "«\($0)» غير صالح لـ «\($1):». مثال: \($2)" }, emptyFilter: { "يحتاج «\($0):» إلى قيمة" }),
        help: Help(
            title: "المفاتيح", everywhere: "في كل مكان", lists: "القوائم", photo: "صورة واحدة", search: "حقل البحث",
            filter: "التصفية", save: "الحفظ والتصدير", field: "كل الحقول",
            space: "المسافة", quitOnLine: "خروج (على سطر)"),
        actions: [
            .mark: "تعليم", .markRange: "تعليم نطاق", .invertMarks: "عكس كل العلامات",
            .unmark: "إزالة كل العلامات",
            .changeOrder: "تغيير الترتيب",
            .filter: "تصفية",
            .toggleCropping: "اقتصاص",
            .slideshow: "عرض الشرائح", .pauseSlideshow: "إيقاف مؤقت",
            .up: "أعلى", .down: "أسفل", .left: "يسار", .right: "يمين", .pageUp: "صفحة لأعلى", .pageDown: "صفحة لأسفل",
            .first: "الأولى", .last: "الأخيرة", .open: "فتح", .back: "رجوع", .quit: "خروج", .search: "بحث",
            .help: "مساعدة", .settings: "إعدادات", .toggleArrangement: "قائمة/شبكة", .denser: "أصغر", .looser: "أكبر",
            .refresh: "تحديث", .retry: "إعادة المحاولة", .fullScreen: "ملء الشاشة", .toggleText: "النص كاملًا",
            .nextPhoto: "التالية", .previousPhoto: "السابقة",
            .nextPicture: "التالية في المنشور", .previousPicture: "السابقة في المنشور",
            .zoomIn: "تكبير", .zoomOut: "تصغير", .zoomToFit: "ملاءمة",
            .zoomToPixels: "الحجم الفعلي", .openPage: "فتح الصفحة", .save: "حفظ",
            .openPicture: "فتح في العارض", .export: "تصدير",
            .info: "التفاصيل",
            .copyAddress: "نسخ العنوان",
            .caretLeft: "يسار", .caretRight: "يمين",
            .caretStart: "إلى البداية", .caretEnd: "إلى النهاية", .wordLeft: "كلمة يسارًا", .wordRight: "كلمة يمينًا",
            .deleteBackward: "حذف للخلف", .deleteForward: "حذف", .deleteWord: "حذف كلمة",
            .deleteToStart: "حذف إلى البداية", .deleteToEnd: "حذف إلى النهاية", .submit: "بحث",
            .olderSearch: "بحث أقدم", .newerSearch: "بحث أحدث", .toggleAnimation: "حركة", .toggleMouse: "الفأرة",
            .repaint: "إعادة الرسم",
            .suspend: "تعليق", .interrupt: "خروج فورًا",
        ],
        pairs: [
            .change: "تغيير", .choose: "اختيار", .scroll: "تمرير", .page: "صفحة",
            .photo: "صورة", .picture: "لقطة", .zoom: "تكبير", .size: "حجم",
        ])
}

/// A number of photos; the noun follows the number's last two digits (CLDR 46, plural rules of Arabic).
private func arabicPhotos(_ number: Int, _ written: String) -> String {
    switch number {
    case 1: "صورة واحدة"
    case 2: "صورتان"
    default: (3...10).contains(number % 100) ? "\(written) صور" : "\(written) صورة"
    }
}
