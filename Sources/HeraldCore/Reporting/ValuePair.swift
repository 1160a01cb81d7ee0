internal import FCM

/// A value before and after a change, short enough for a comment, so that a reader sees where they differ.
struct ValuePair {
    let before: String
    let after: String
    /// What comes behind both.
    var rest = ""

    /// Whether a reader sees a difference.
    var isSeen: Bool { before.shown != after.shown }

    /// The forms that may be shown, the plainest first.
    static func forms(of before: Definition.Value, _ after: Definition.Value) -> [ValuePair] {
        switch (before, after) {
        case (.time(let before, let old), .time(let after, let zone)):
            // One zone is named once.
            let isTold = old != zone
            let (first, then) = (before.spoken(in: old, isNamed: isTold), after.spoken(in: zone, isNamed: isTold))
            let rest = isTold ? "" : " \(zone.name)"
            // Where clocks are set back, they show an hour twice.
            return [
                ValuePair(before: first, after: then, rest: rest),
                ValuePair(
                    before: "\(first) (\(before.rfc3339))", after: "\(then) (\(after.rfc3339))", rest: rest),
            ]
        case (.cron(let before, let old), .cron(let after, let zone)):
            let isTold = old != zone
            let rest = isTold ? "" : " \(zone.name)"
            return [
                ValuePair(
                    before: before.words(in: old, isNamed: isTold), after: after.words(in: zone, isNamed: isTold),
                    rest: rest),
                ValuePair(before: "“\(before)”", after: "“\(after)”", rest: rest),
            ]
        default: return [ValuePair(cutting: before.text, after.text)]
        }
    }

    private static let (shownScalars, context) = (300, 60)

    /// Long texts are cut around what differs first.
    private init(cutting before: (text: String, isQuoted: Bool), _ after: (text: String, isQuoted: Bool)) {
        let texts = [before, after].map { Array($0.text.unicodeScalars) }
        let shortest = min(texts[0].count, texts[1].count)
        guard max(texts[0].count, texts[1].count) > Self.shownScalars else {
            (self.before, self.after) = (before.text.quoted(before.isQuoted), after.text.quoted(after.isQuoted))
            return
        }
        let same = zip(texts[0], texts[1]).prefix { $0 == $1 }.count
        let sameEnd = min(zip(texts[0].reversed(), texts[1].reversed()).prefix { $0 == $1 }.count, shortest - same)
        let start = max(0, same - Self.context)
        let cut = texts.map { scalars in
            let end = min(scalars.count, start + Self.shownScalars)
            let text = String(String.UnicodeScalarView(scalars[start..<end]))
            return (start > 0 ? "…" : "") + text + (end < scalars.count ? "…" : "")
        }
        (self.before, self.after) = (cut[0].quoted(before.isQuoted), cut[1].quoted(after.isQuoted))
        if texts.contains(where: { $0.count - sameEnd > start + Self.shownScalars }) {
            rest = ", and differs further on; the plan's JSON has both"
        }
    }

    private init(before: String, after: String, rest: String) {
        (self.before, self.after, self.rest) = (before, after, rest)
    }
}

extension Definition.Value {
    /// All of it, and whether it is in the words of the file's author.
    fileprivate var text: (text: String, isQuoted: Bool) {
        switch self {
        case .json(.string(let text)): (text, true)
        case .place: (words, false)
        default: (json.compactText, false)
        }
    }
}

extension String {
    fileprivate func quoted(_ isQuoted: Bool) -> String { isQuoted ? "“\(self)”" : self }

    /// As a reader sees it: Markdown and HTML show several spaces as one.
    var shown: String { printable.split(separator: " ").joined(separator: " ") }

    /// A long text's beginning.
    var beginning: String {
        let limit = 300
        guard unicodeScalars.count > limit else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(limit))) + "…"
    }

    /// A long text without its middle.
    func abridged(to limit: Int) -> String {
        guard unicodeScalars.count > limit else { return self }
        let (start, end) = (unicodeScalars.prefix(limit / 2), unicodeScalars.suffix(limit / 2))
        return String(String.UnicodeScalarView(start)) + "…" + String(String.UnicodeScalarView(end))
    }
}

extension Date {
    func spoken(in zone: Zone, isNamed: Bool = true) -> String {
        zone.local(at: self).spoken + (isNamed ? " \(zone.name)" : "")
    }
}
