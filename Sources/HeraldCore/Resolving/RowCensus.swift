/// What a personal campaign makes of the rows of its recipients: everybody is in one class, or has a bad row.
package struct RowCensus: Hashable, Sendable {
    /// Who gets which text, holdouts included.
    package private(set) var classes: [MessageClass: RecipientSet] = [:]
    /// Recipients whose row makes no message, by its first mistake.
    package private(set) var mistakes: [RowMistake.Kind: RecipientSet] = [:]
    /// The first bad rows by line, at most `shownLines`.
    package private(set) var firstBad: [BadRow] = []
    /// The bytes that count against FCM's limit, of the largest message at most.
    package private(set) var largest = 0
    /// What makes it so large.
    package private(set) var longest: LongestMessage?

    package static let shownLines = 10

    package struct BadRow: Hashable, Sendable {
        /// The number of the row's line in its list. 0 for a registration that stands in a file of the workspace.
        package var line: Int
        package var mistake: RowMistake
    }

    package init() {}

    /// Recipients whose row makes no message.
    package var bad: RecipientSet { mistakes.values.reduce(into: []) { $0.formUnion($1) } }

    /// How many recipients have a bad row, by its first mistake.
    ///
    /// - Parameter unreachable: who is left out.
    package func counts(without unreachable: RecipientSet = []) -> [RowMistake.Kind: Int] {
        mistakes.mapValues { $0.subtracting(unreachable).count }.filter { $0.value > 0 }
    }

    /// How many parts of many rows are judged side by side, and how many rows are many.
    private static let (parts, many) = (4, 20_000)

    /// Judges every row.
    init(
        of members: RecipientSet, _ rows: PersonalRows, _ messages: PersonalMessages
    ) throws(RecipientIndexError) {
        let count = members.count < Self.many ? 1 : Self.parts
        let parts = Array(0..<count).mappedConcurrently(inParts: 1) { part in
            do throws(RecipientIndexError) {
                // Cores that count references to the same values would wait for each other.
                let own = count > 1 ? messages.copied : messages
                return Result<Judged, RecipientIndexError>.success(
                    try Judged(part, of: count, of: members, rows, own))
            } catch {
                return .failure(error)
            }
        }
        var sets = [RecipientSet](repeating: [], count: messages.classes.count)
        var (first, longest) = (FirstBadRows(), nil as Judged.Longest?)
        for part in parts {
            let part = try part.get()
            for (place, members) in part.sets.enumerated() { sets[place].formUnion(members) }
            for (kind, members) in part.mistakes { mistakes[kind, default: []].formUnion(members) }
            for row in part.firstBad.rows { first.note(row) }
            if part.largest > largest { (largest, longest) = (part.largest, part.longest) }
        }
        for (recipients, members) in zip(messages.classes, sets) where !members.isEmpty {
            classes[recipients] = members
        }
        firstBad = first.rows
        self.longest = longest.flatMap {
            LongestMessage($0.values, line: $0.line, in: messages.classes[$0.place], messages)
        }
    }
}

/// What some of the rows are.
private struct Judged: Sendable {
    /// By class.
    var sets: [RecipientSet]
    var mistakes: [RowMistake.Kind: RecipientSet] = [:]
    var firstBad = FirstBadRows()
    var largest = 0
    var longest: Longest?

    /// The row that makes the largest message.
    struct Longest: Sendable {
        var values: FieldValues
        var line: Int
        /// That of its class.
        var place: Int
    }

    init(
        _ part: Int, of parts: Int, of members: RecipientSet, _ rows: PersonalRows, _ messages: PersonalMessages
    ) throws(RecipientIndexError) {
        sets = [RecipientSet](repeating: [], count: messages.classes.count)
        try rows.each(of: members, part: part, of: parts) { (row) throws(RecipientIndexError) in
            switch messages.judge(row.bytes, key: row.key) {
            case .good(let place, let size):
                sets[place].insert(row.id)
                guard size > largest else { return }
                (largest, longest) = (size, Longest(values: row.values, line: row.line, place: place))
            case .bad(let mistake):
                mistakes[mistake.kind, default: []].insert(row.id)
                firstBad.note(.init(line: row.line, mistake: mistake))
            }
        }
    }
}

/// The bad rows with the lowest lines.
private struct FirstBadRows: Sendable {
    private(set) var rows: [RowCensus.BadRow] = []

    mutating func note(_ row: RowCensus.BadRow) {
        guard rows.count < RowCensus.shownLines || row.line < rows[rows.count - 1].line else { return }
        let place = rows.firstIndex { row.line < $0.line } ?? rows.count
        rows.insert(row, at: place)
        if rows.count > RowCensus.shownLines { rows.removeLast() }
    }
}
