internal import SpyglassCatalog

extension UIStrings {
    static let japanese = UIStrings(
        decimalSeparator: ".",
        home: Home(
            tagline: { "\($0) の写真を端末で" }, prompt: "写真を検索", recent: "最近の検索", suggestions: "おすすめ",
            resume: { "「\($0)」の \($1) 枚目から続ける" }, source: "ソース", archiveHolds: { "このアーカイブの内容: \($0)" },
            operands: ["tumblr": "ブログ名、または tag:語", "apod": "空欄、date:最初..最後、または count:数"]),
        list: List(
            everything: "すべて", searching: { "「\($0)」を検索中" }, nothingFound: { "「\($0)」に一致する写真はありません" },
            reading: { "\($0) を読み込み中" }, emptyFolder: { "\($0) に画像はありません" },
            nothingFoundHint: "語を減らすか変える、またはフィルターを外してください。", loading: "続きを読み込み中", loadingFailed: "続きを読み込めませんでした",
            filterPrompt: "タイトル、撮影者、説明",
            keepFilter: "確定", clearFilter: "絞り込み解除", noMatch: { "読み込み済みの写真に「\($0)」はありません" },
            matches: { "\($0) / 読み込み済み \($1)" },
            end: { _, written in "終わり: 写真 \(written) 枚" }, offline: "オフライン", stale: "古い可能性あり", archive: "アーカイブ"),
        detail: Detail(
            photographer: "撮影者", date: "日付", center: "センター", location: "場所", keywords: "キーワード", credit: "クレジット",
            license: "ライセンス",
            kind: "種類", original: "元の写真", page: "ページ", picture: "画像",
            paused: "一時停止中", endSlideshow: "終了"),
        pictureStatus: { "エラー \($0)" },
        pictureTruncated: { "途中まで: \($1)行中\($0)行" },
        pictures: [
            .notFound: "見つかりません", .unreachable: "接続なし", .timedOut: "時間切れ", .tooLarge: "大きすぎます", .refused: "拒否されました",
            .notRecorded: "アーカイブになし", .notCached: "キャッシュになし", .unavailable: "利用できません", .notAPicture: "画像ではありません",
            .unsupported: "不明な形式", .damaged: "破損", .outOfMemory: "メモリ不足", .unknown: "失敗",
        ],
        info: Info(
            title: "この写真について", camera: "カメラ", lens: "レンズ", exposure: "露出", pixels: "画素", profile: "プロファイル",
            format: "形式", progressive: "プログレッシブ", software: "ソフトウェア", modified: "更新日時", address: "アドレス",
            reading: "ファイルを読み込み中", frames: { "\($0) フレーム" }, megapixels: { "\($0) メガピクセル" },
            onFilm: { "35 mm 判換算 \($0)" }),
        settings: Settings(
            title: "設定", source: "ソース", arrangement: "表示", list: "リスト", grid: "グリッド", density: "サムネイルの大きさ",
            textSize: "写真ごとの文字",
            oneLine: "文字一行", lines: { _, written in "\(written) 行" }, pixels: "画像", halfBlocks: "半ブロック",
            quadrants: "四分割", sextants: "六分割", octants: "八分割", color: "色", noColor: "なし",
            colors: { _, written in "\(written) 色" }, theme: "テーマ", dark: "ダーク", light: "ライト", neutral: "標準",
            language: "言語", memoryLimit: "写真用メモリ", diskLimit: "ディスクキャッシュ", safeSearch: "セーフサーチ", mouse: "マウス",
            automatic: "自動", on: "オン",
            off: "オフ",
            animations: "アニメーション", selectedAnimation: "選択中", allAnimations: "すべて",
            slideshow: "スライドショー", seconds: { "\($0) 秒" }),
        save: Save(
            title: "元の写真を保存", file: "ファイル", folder: "フォルダー", size: "サイズ", unknown: "不明", asking: "サイズを確認中",
            saving: "保存中", cancel: "中止"),
        alert: UIStrings.Alert(
            searchOfAll: "検索に失敗しました", search: { "「\($0)」の検索に失敗しました" }, folder: { "\($0) を開けません" }, save: "写真を保存できませんでした"
        ),
        problems: [
            .unreachable: "サーバーに接続できません", .timedOut: "サーバーからの応答がありません", .refused: "アドレスが拒否されました",
            .notRecorded: "アーカイブに該当するものがありません", .notCached: "キャッシュにありません（オフライン）",
        ],
        notices: Notices(
            copied: { "コピーしました: \($0)" }, mouseOn: "マウスでスクロールと選択ができます", mouseOff: "マウスで文字を選択できます",
            animationOn: "アニメーションを再生します", animationOff: "アニメーションを停止しました",
            opened: { "開きました: \($0)" }, link: { "ページ: \($0)" }, cannotOpen: { "ページを開けません: \($0)" },
            saved: { "\($0) に保存しました" }, saveCancelled: "保存を中止しました", nothingToCopy: "コピーするアドレスがありません",
            nothingToSave: "保存する写真がありません", noPage: "この写真のページはありません", refreshed: "最新の状態です",
            nothingNewer: "更新できませんでした。キャッシュの結果を表示しています", cannotEnlarge: { "これ以上拡大できません: \($0)" },
            sorted: [.name: "名前順", .time: "新しい順", .size: "大きい順"]),
        mistakes: Mistakes(
            unknownFilter: { "フィルター「\($0):」は不明です。フィルター: \($1)" },
            badValue: { "「\($0)」は「\($1):」に使えません。例: \($2)" }, emptyFilter: { "「\($0):」には値が必要です" }),
        help: Help(
            title: "キー", everywhere: "共通", lists: "一覧", photo: "写真", field: "検索欄", space: "スペース",
            quitOnLine: "終了（行の上）"),
        actions: [
            .changeOrder: "並べ替え",
            .filter: "絞り込み",
            .toggleCropping: "切り抜き",
            .slideshow: "スライドショー", .pauseSlideshow: "一時停止",
            .up: "上", .down: "下", .left: "左", .right: "右", .pageUp: "前の画面", .pageDown: "次の画面", .first: "先頭",
            .last: "末尾", .open: "開く", .back: "戻る", .quit: "終了", .search: "検索", .help: "ヘルプ", .settings: "設定",
            .toggleArrangement: "リスト/グリッド", .denser: "小さく", .looser: "大きく", .refresh: "更新", .retry: "再試行",
            .fullScreen: "全画面", .toggleText: "全文",
            .nextPhoto: "次", .previousPhoto: "前",
            .nextPicture: "投稿内の次", .previousPicture: "投稿内の前",
            .zoomIn: "拡大", .zoomOut: "縮小", .zoomToFit: "全体表示",
            .zoomToPixels: "等倍", .openPage: "ページを開く", .save: "保存",
            .info: "詳細",
            .copyAddress: "アドレスをコピー",
            .caretLeft: "左", .caretRight: "右", .caretStart: "行頭へ", .caretEnd: "行末へ", .wordLeft: "前の語",
            .wordRight: "次の語", .deleteBackward: "前を削除", .deleteForward: "削除", .deleteWord: "語を削除",
            .deleteToStart: "行頭まで削除", .deleteToEnd: "行末まで削除", .submit: "検索", .olderSearch: "前の検索", .newerSearch: "次の検索",
            .toggleAnimation: "アニメーション", .toggleMouse: "マウス", .repaint: "再描画", .suspend: "一時停止", .interrupt: "すぐに終了",
        ],
        pairs: [
            .change: "変更", .choose: "選択", .scroll: "スクロール", .page: "画面",
            .photo: "写真", .picture: "画像", .zoom: "拡大縮小", .size: "大きさ",
        ])
}
