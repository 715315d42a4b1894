/// Phrases for the less obvious actions; others are clear by their names.
enum HelpPhrases {
    static let all: [Action: Text] = [
        .back: Text(
            "go back to the previous screen", "zurück zum Bildschirm davor", "revenir à l’écran précédent",
            "volver a la pantalla anterior", "前の画面に戻る", "الرجوع إلى الشاشة السابقة"),
        .suspend: Text(
            "stop the program; fg continues it", "Programm anhalten; fg setzt es fort",
            "suspendre ; fg reprend le programme", "suspender; fg continúa el programa", "中断する（fg で再開）",
            "تعليق البرنامج؛ يستأنفه fg"),
        .repaint: Text(
            "redraw the screen", "Bildschirm neu zeichnen", "redessiner l’écran", "redibujar la pantalla", "画面を再描画",
            "إعادة رسم الشاشة"),
        .toggleMouse: Text(
            "mouse on/off (off: select text)", "Maus an/aus (aus: Text markieren)",
            "souris oui/non (non : sélection de texte)", "ratón sí/no (no: seleccionar texto)", "マウスの切替（オフで文字を選択）",
            "تشغيل/إيقاف الفأرة (إيقاف: تحديد النص)"),
        .first: Text(
            "go to the start", "zum Anfang", "aller au début", "ir al principio", "先頭へ", "الانتقال إلى البداية"),
        .last: Text(
            "go to the end; in a list 50G: to photo 50", "zum Ende; in einer Liste 50G: zu Foto 50",
            "aller à la fin ; dans une liste, 50G : à la photo 50",
            "ir al final; en una lista 50G: a la foto 50", "末尾へ（一覧では 50G で 50 枚目へ）",
            "الانتقال إلى النهاية؛ وفي القائمة 50G: إلى الصورة 50"),
        .open: Text(
            "open the photo or folder", "Foto oder Ordner öffnen", "ouvrir la photo ou le dossier",
            "abrir la foto o carpeta", "写真やフォルダーを開く", "فتح الصورة أو المجلد"),
        .looser: Text(
            "larger thumbnails", "größere Vorschaubilder", "miniatures plus grandes", "miniaturas más grandes",
            "サムネイルを大きく", "صور مصغرة أكبر"),
        .denser: Text(
            "smaller thumbnails", "kleinere Vorschaubilder", "miniatures plus petites", "miniaturas más pequeñas",
            "サムネイルを小さく", "صور مصغرة أصغر"),
        .toggleArrangement: Text(
            "switch between list and grid", "zwischen Liste und Raster wechseln", "passer de la liste à la grille",
            "cambiar entre lista y cuadrícula", "リストとグリッドを切り替える", "التبديل بين القائمة والشبكة"),
        .toggleCropping: Text(
            "fill the cells, or show whole photos", "Felder füllen oder ganze Fotos zeigen",
            "remplir les cases ou montrer les photos entières", "llenar las celdas o mostrar fotos enteras",
            "枠を埋める／全体を表示", "ملء الخلايا أو عرض الصور كاملة"),
        .changeOrder: Text(
            "sort by name, time, size, or randomly", "nach Name, Zeit, Größe oder zufällig ordnen",
            "trier par nom, date, taille ou au hasard", "ordenar por nombre, fecha, tamaño o al azar",
            "名前・日時・大きさ・ランダムで並べる", "ترتيب حسب الاسم أو الوقت أو الحجم أو عشوائيًا"),
        .filter: Text(
            "show only photos that match words", "nur Fotos zeigen, die zu Wörtern passen",
            "n’afficher que les photos correspondant aux mots", "mostrar solo las fotos que coincidan",
            "語に一致する写真だけを表示", "عرض الصور المطابقة فقط"),
        .mark: Text(
            "mark or unmark; in a list, move on", "markieren oder nicht; in einer Liste weiter",
            "marquer ou non ; dans une liste, avancer", "marcar o no; en una lista, avanzar", "選択／解除（一覧では次へ）",
            "تعليم أو إلغاؤه؛ وفي القائمة إلى التالي"),
        .markRange: Text(
            "start a range; press again to mark it", "Bereich beginnen; noch einmal: markieren",
            "commencer une plage ; encore : la marquer", "empezar un tramo; otra vez: marcarlo", "範囲を開始（もう一度で選択）",
            "بدء نطاق؛ مرة أخرى لتعليمه"),
        .save: Text(
            "save the original, or all marked ones",
            "Original speichern, oder alle markierten",
            "enregistrer l’original, ou tous les marqués",
            "guardar el original, o todos los marcados",
            "元の写真、または選択したすべてを保存",
            "حفظ الأصل، أو كل المعلَّمة"),
        .export: Text(
            "save smaller copies of the same photos", "kleinere Kopien davon schreiben",
            "en écrire des copies réduites",
            "escribir copias más pequeñas", "縮小コピーを書き出す", "كتابة نسخ أصغر منها"),
        .info: Text(
            "camera, exposure and file", "Kamera, Belichtung und Datei", "appareil, exposition et fichier",
            "cámara, exposición y archivo", "カメラ・露出・ファイルの情報", "الكاميرا والتعريض والملف"),
        .toggleAnimation: Text(
            "play or stop GIFs and other animations", "GIFs und andere Animationen abspielen oder anhalten",
            "lire ou arrêter les GIF et autres animations", "reproducir o parar GIF y otras animaciones",
            "GIF などのアニメーションを再生／停止", "تشغيل صور GIF وغيرها أو إيقافها"),
        .pauseSlideshow: Text(
            "pause a slideshow, or continue it", "Diaschau anhalten oder fortsetzen",
            "mettre le diaporama en pause, ou le reprendre", "pausar la presentación, o continuarla",
            "スライドショーを一時停止／再開", "إيقاف عرض الشرائح مؤقتًا أو استئنافه"),
        .fullScreen: Text(
            "the photo on the whole screen", "das Foto auf dem ganzen Bildschirm", "la photo sur tout l’écran",
            "la foto en toda la pantalla", "写真を全画面で表示", "الصورة على كامل الشاشة"),
        .toggleText: Text(
            "show the text alone, or with the photo", "nur der Text, oder mit dem Foto",
            "le texte seul, ou avec la photo",
            "solo el texto, o con la foto", "文字のみ／写真も表示", "النص وحده أو مع الصورة"),
        .nextPhoto: Text("next photo", "nächstes Foto", "photo suivante", "foto siguiente", "次の写真", "الصورة التالية"),
        .previousPhoto: Text(
            "previous photo", "voriges Foto", "photo précédente", "foto anterior", "前の写真", "الصورة السابقة"),
        .retry: Text(
            "try again", "noch einmal versuchen", "réessayer", "intentar de nuevo", "もう一度試す", "المحاولة من جديد"),
        .zoomToFit: Text(
            "show the whole photo", "das ganze Foto zeigen", "montrer la photo entière", "mostrar la foto entera",
            "写真全体を表示", "عرض الصورة كاملة"),
        .zoomToWidth: Text(
            "fill the width", "die Breite füllen", "remplir la largeur", "llenar el ancho", "幅いっぱいに表示", "ملء العرض"),
        .zoomToPixels: Text(
            "one pixel of the photo per screen pixel", "ein Pixel des Fotos ist einer des Bildschirms",
            "un pixel de la photo par pixel d’écran", "un píxel de la foto por píxel de pantalla", "等倍で表示",
            "بكسل الصورة يساوي بكسل الشاشة"),
        .rotateLeft: Text(
            "rotate the view left; the file does not change", "Ansicht nach links drehen; die Datei bleibt",
            "tourner la vue à gauche ; le fichier reste", "girar la vista a la izquierda; el archivo no cambia",
            "表示を左に回す（ファイルは変更なし）", "تدوير العرض لليسار؛ لا يتغير الملف"),
        .rotateRight: Text(
            "rotate the view right; the file does not change", "Ansicht nach rechts drehen; die Datei bleibt",
            "tourner la vue à droite ; le fichier reste", "girar la vista a la derecha; el archivo no cambia",
            "表示を右に回す（ファイルは変更なし）", "تدوير العرض لليمين؛ لا يتغير الملف"),
        .openPicture: Text(
            "open in the desktop’s image viewer", "im Bildbetrachter öffnen", "ouvrir dans la visionneuse du bureau",
            "abrir en el visor del escritorio", "デスクトップのビューアーで開く", "فتح في عارض الصور"),
        .openPage: Text(
            "open the photo’s page in the web browser", "seine Seite im Webbrowser öffnen",
            "ouvrir sa page dans le navigateur",
            "abrir su página en el navegador", "ブラウザーでページを開く", "فتح صفحتها في المتصفح"),
        .toggleSubfolders: Text(
            "list the photos of all subfolders, too", "eine Liste mit allen Unterordnern",
            "une liste avec tous les sous-dossiers", "una lista con todas las subcarpetas", "中のフォルダーも一覧に",
            "قائمة تضم كل المجلدات الفرعية"),
        .copyAddress: Text(
            "copy the path or address, or all marked ones",
            "Pfad oder Adresse kopieren, oder alle markierten",
            "copier le chemin ou l’adresse, ou tous les marqués",
            "copiar la ruta o dirección, o todas las marcadas",
            "パスかアドレス、または選択したすべてをコピー",
            "نسخ المسار أو العنوان، أو كل المعلَّمة"),
        .command: Text(
            "run a command on the file, or all marked ones",
            "Befehl mit der Datei ausführen, oder allen markierten",
            "lancer une commande sur le fichier, ou tous les marqués",
            "ejecutar un comando con el archivo, o los marcados",
            "ファイル、または選択したすべてでコマンドを実行",
            "تنفيذ أمر على الملف، أو كل المعلَّمة"),
        .trash: Text(
            "move the file to the trash, or all marked ones", "Datei in den Papierkorb, oder alle markierten",
            "mettre le fichier à la corbeille, ou ceux qui sont marqués",
            "mover el archivo a la papelera, o los marcados",
            "ファイル、または選択したすべてをゴミ箱に移す", "نقل الملف إلى المهملات، أو كل المعلَّمة"),
        .restore: Text(
            "bring back what D moved last", "zurückholen, was D zuletzt verschoben hat",
            "reprendre ce que D a déplacé en dernier", "recuperar lo último que movió D", "直前に D で移したものを戻す",
            "استعادة آخر ما نقله D"),
        .search: Text(
            "search for other photos", "andere Fotos suchen", "chercher d’autres photos", "buscar otras fotos",
            "別の写真を検索", "البحث عن صور أخرى"),
    ]
}
