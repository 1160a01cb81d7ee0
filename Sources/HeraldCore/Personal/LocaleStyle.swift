/// How a language writes numbers and dates: Latin digits, Gregorian calendar, long dates.
final class LocaleStyle: Sendable {
    private enum DatePart {
        case literal([UInt8])
        case day, month, year, monthName
        /// With two digits.
        case paddedDay, paddedMonth
    }

    private let group: [UInt8]
    private let point: [UInt8]
    /// How many digits a group has, after the last three.
    private let groupSize: Int
    private let dateParts: [DatePart]
    private let months: [[UInt8]]
    /// The bytes of the longest date.
    private let longestDate: Int

    /// - Parameter row: of the table, without the tags.
    private init?(row: [Substring]) {
        guard row.count == 5, let size = Int(row[2]) else { return nil }
        (group, point, groupSize) = (Array(row[0].utf8), Array(row[1].utf8), size)
        dateParts = Self.parts(of: row[3])
        let months = row[4].split(separator: ",").map { Array($0.utf8) }
        guard months.count == 12 else { return nil }
        self.months = months
        let longestMonth = months.map(\.count).max() ?? 0
        longestDate = dateParts.reduce(0) { length, part in
            switch part {
            case .literal(let text): length + text.count
            case .monthName: length + longestMonth
            case .year: length + 4
            case .day, .month, .paddedDay, .paddedMonth: length + 2
            }
        }
    }

    private static func parts(of pattern: Substring) -> [DatePart] {
        let signs: [Character: DatePart] = [
            "d": .day, "D": .paddedDay, "m": .month, "M": .paddedMonth, "B": .monthName, "y": .year,
        ]
        var parts: [DatePart] = []
        for (place, text) in pattern.split(separator: "%", omittingEmptySubsequences: false).enumerated() {
            let part = place == 0 ? nil : text.first.flatMap { signs[$0] }
            if let part { parts.append(part) }
            let rest = text.dropFirst(part == nil ? 0 : 1)
            if !rest.isEmpty { parts.append(.literal(Array(rest.utf8))) }
        }
        return parts
    }
}

extension LocaleStyle {
    private static let all: [LanguageTag: LocaleStyle] = {
        var styles: [LanguageTag: LocaleStyle] = [:]
        for line in LocaleTable.text.split(separator: "\n") {
            let parts = line.split(separator: "|", omittingEmptySubsequences: false)
            guard let tags = parts.first, let style = LocaleStyle(row: Array(parts.dropFirst())) else { continue }
            for tag in tags.split(separator: " ") { if let tag = LanguageTag(String(tag)) { styles[tag] = style } }
        }
        return styles
    }()

    /// The bytes of the longest date in any language.
    static let longestDate = all.values.reduce(10) { max($0, $1.longestDate) }

    /// The style of a text's language, in the region of the recipient if that is of the same language.
    ///
    /// - Parameter text: the language of the text.
    static func of(_ text: LanguageTag, for recipient: LanguageTag?) -> LocaleStyle? {
        guard let recipient, recipient.language == text.language, recipient.region != .none else { return of(text) }
        return of(text.with(region: recipient.region))
    }

    /// `nil` for a language that the table does not have, or that it has only in another script.
    private static func of(_ tag: LanguageTag) -> LocaleStyle? {
        all[tag] ?? (tag.region == .none ? nil : all[tag.with(region: .none)])
    }
}

extension LocaleStyle {
    /// At least the bytes of a written number, from its bytes in the row.
    static func longestNumber(_ count: Int) -> Int { 3 * count + 12 }

    /// Appends a number, with the fraction that the row gives it.
    ///
    /// - Returns: whether the text is one.
    func write(number text: ValueBytes, to bytes: inout [UInt8]) -> Bool {
        guard text.isDecimal else { return false }
        var whole = text
        if whole.first == UInt8(ascii: "-") {
            bytes.append(whole.removeFirst())
        }
        let point = whole.firstIndex(of: UInt8(ascii: ".")) ?? whole.endIndex
        let fraction = whole[point...].dropFirst()
        whole = whole[..<point]
        while whole.count > 1, whole.first == UInt8(ascii: "0") { whole.removeFirst() }
        for (place, digit) in whole.enumerated() {
            let left = whole.count - place
            if place > 0, left == 3 || left > 3 && (left - 3).isMultiple(of: groupSize) { bytes += group }
            bytes.append(digit)
        }
        if !fraction.isEmpty {
            bytes += self.point
            bytes.append(contentsOf: fraction)
        }
        return true
    }

    /// Appends a date.
    ///
    /// - Returns: whether the text is one.
    func write(date text: ValueBytes, to bytes: inout [UInt8]) -> Bool {
        guard let date = CalendarDay(text) else { return false }
        for part in dateParts {
            switch part {
            case .literal(let text): bytes += text
            case .day: bytes.append(decimal: date.day)
            case .month: bytes.append(decimal: date.month)
            case .year: bytes.append(decimal: date.year)
            case .monthName: bytes += months[date.month - 1]
            case .paddedDay: bytes.append(padded: date.day)
            case .paddedMonth: bytes.append(padded: date.month)
            }
        }
        return true
    }
}

extension [UInt8] {
    fileprivate mutating func append(decimal number: Int) { append(contentsOf: String(number).utf8) }

    fileprivate mutating func append(padded number: Int) {
        if number < 10 { append(UInt8(ascii: "0")) }
        append(decimal: number)
    }
}
