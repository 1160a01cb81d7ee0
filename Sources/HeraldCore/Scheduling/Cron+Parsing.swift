extension Cron {
    /// Reads five fields like Vixie's cron, but without words such as `@daily`. Names may have any case. 0 and 7 mean
    /// Sunday.
    package init(parsing text: String) throws(CronError) {
        let scalars = Array(text.unicodeScalars)
        let words = scalars.indices.split { Self.separators.contains(scalars[$0]) }
            .map { Word(scalars, $0) }
        if let first = words.first, first.scalars.first == "@" {
            throw first.error("'\(first.text)' is not a cron of five fields")
        }
        guard words.count >= 5 else {
            throw Word(scalars, scalars.indices)
                .error("a cron has five fields (minute, hour, day of month, month, day of week), not \(words.count)")
        }
        guard words.count == 5 else {
            let extra = Word(scalars, words[5].range.lowerBound..<words[words.count - 1].range.upperBound)
            throw extra.error("a cron has five fields, and '\(extra.text)' is beyond them")
        }
        minutes = try Cron.Field(.minute, words[0])
        hours = try Cron.Field(.hour, words[1])
        daysOfMonth = try Cron.Field(.dayOfMonth, words[2])
        months = try Cron.Field(.month, words[3])
        daysOfWeek = try Cron.Field(.dayOfWeek, words[4])
    }

    private static let separators: Set<Unicode.Scalar> = [" ", "\t"]

    /// A part of the text with its position.
    fileprivate struct Word {
        let whole: [Unicode.Scalar]
        let range: Range<Int>

        init(_ whole: [Unicode.Scalar], _ range: Range<Int>) {
            self.whole = whole
            self.range = range
        }

        var scalars: ArraySlice<Unicode.Scalar> { whole[range] }
        var text: String { String(String.UnicodeScalarView(scalars)) }

        /// The parts between separators. There is at least one, and parts may be empty.
        func split(at separator: Unicode.Scalar) -> [Word] {
            scalars.split(separator: separator, omittingEmptySubsequences: false)
                .map { Word(whole, $0.indices) }
        }

        func error(_ message: String) -> CronError {
            CronError(message: message, offset: range.lowerBound, length: range.count)
        }
    }
}

extension Cron.Field {
    fileprivate init(_ kind: Kind, _ word: Cron.Word) throws(CronError) {
        self.kind = kind
        isStarred = kind.isDay && word.scalars.first == "*"
        values = 0
        for item in word.split(at: ",") {
            guard !item.range.isEmpty else { throw word.error("\(kind.words) '\(word.text)' has an empty place") }
            for value in try Self.values(kind, item) { values |= 1 << UInt64(kind.folded(value)) }
        }
    }

    /// `*`, a value or a range. `*` and a range may have a step.
    private static func values(_ kind: Kind, _ item: Cron.Word) throws(CronError) -> StrideThrough<Int> {
        let parts = item.split(at: "/")
        guard parts.count <= 2 else { throw item.error("\(kind.words) '\(item.text)' has more than one step") }
        let bounds = parts[0].split(at: "-")
        let isStar = parts[0].scalars.elementsEqual(["*"])
        let range: ClosedRange<Int>
        switch bounds.count {
        case 1 where isStar: range = kind.range
        case 1:
            let value = try kind.value(bounds[0])
            guard parts.count == 1 else {
                throw item.error(
                    "\(kind.words) '\(item.text)' has a step without a range, as in "
                        + "\(value)-\(kind.range.upperBound)/\(parts[1].text)")
            }
            range = value...value
        case 2: range = try Self.range(kind, bounds[0], bounds[1], in: item)
        default: throw item.error("\(kind.words) '\(item.text)' is no range")
        }
        guard parts.count == 2 else { return stride(from: range.lowerBound, through: range.upperBound, by: 1) }
        let longest = kind.isDay ? kind.range.count : kind.range.upperBound
        guard let step = parts[1].number, (1...longest).contains(step) else {
            throw parts[1].isEmpty
                ? item.error("\(kind.words) '\(item.text)' has an empty step")
                : parts[1].error("the step '\(parts[1].text)' of \(kind.words) is not from 1 to \(longest)")
        }
        return stride(from: range.lowerBound, through: range.upperBound, by: step)
    }

    private static func range(
        _ kind: Kind, _ low: Cron.Word, _ high: Cron.Word, in item: Cron.Word
    ) throws(CronError) -> ClosedRange<Int> {
        guard !low.isEmpty, !high.isEmpty else { throw item.error("\(kind.words) '\(item.text)' is no range") }
        let first = try kind.value(low)
        var last = try kind.value(high)
        // A range that ends with Sunday is valid, whether Sunday is written as 0 or 7.
        if kind == .dayOfWeek, last == 0, first > 0 { last = 7 }
        guard first <= last else { throw item.error("\(kind.words) '\(item.text)' runs backwards") }
        return first...last
    }
}

extension Cron.Word {
    fileprivate var isEmpty: Bool { range.isEmpty }

    /// Up to four decimal digits.
    fileprivate var number: Int? {
        guard (1...4).contains(range.count), scalars.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        return Int(text)
    }

    /// Signs that other programs allow in a day field: `?`, `L`, `15W`, `5#2`.
    fileprivate var foreign: Unicode.Scalar? {
        let isLetter = { (scalar: Unicode.Scalar) in scalar == "L" || scalar == "W" }
        if let sign = scalars.first(where: { $0 == "?" || $0 == "#" }) { return sign }
        return scalars.allSatisfy { isLetter($0) || ("0"..."9").contains($0) } ? scalars.first(where: isLetter) : nil
    }
}

extension Cron.Field.Kind {
    /// The field's name in a sentence.
    fileprivate var words: String {
        switch self {
        case .minute: "minute"
        case .hour: "hour"
        case .dayOfMonth: "day of month"
        case .month: "month"
        case .dayOfWeek: "day of week"
        }
    }

    private var names: [String] {
        switch self {
        case .minute, .hour, .dayOfMonth: []
        case .month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        case .dayOfWeek: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        }
    }

    fileprivate func value(_ word: Cron.Word) throws(CronError) -> Int {
        if let number = word.number {
            let high = self == .dayOfWeek ? 7 : range.upperBound
            if (range.lowerBound...high).contains(number) { return number }
        }
        if let index = names.firstIndex(of: word.text.lowercased()) { return range.lowerBound + index }
        if let character = word.foreign {
            throw word.error("\(words) '\(word.text)': '\(character)' has no meaning here")
        }
        let high = self == .dayOfWeek ? 7 : range.upperBound
        let orName = names.isEmpty ? "" : ", nor \(names[0].uppercased()) to \(names[names.count - 1].uppercased())"
        throw word.error("\(words) '\(word.text)' is not from \(range.lowerBound) to \(high)\(orName)")
    }

    /// Maps 7 to 0, because both mean Sunday.
    fileprivate func folded(_ value: Int) -> Int { self == .dayOfWeek && value == 7 ? 0 : value }
}
