/// What a campaign makes of some rows.
struct JudgedRows: Sendable {
    /// By class.
    private(set) var sets: [RecipientSet]
    private(set) var mistakes: [RowMistake.Kind: RecipientSet] = [:]
    private(set) var firstBad = FirstBadRows()
    private(set) var longest: Longest?

    /// The row that makes the largest message. Of several it is the one with the lowest number.
    struct Longest: Sendable {
        var id: RecipientID
        /// The bytes that count against FCM's limit, at most.
        var size: Int
        var values: FieldValues
        var line: Int
        /// The place of its class.
        var place: Int

        func outranks(_ size: Int, _ id: RecipientID) -> Bool { (self.size, id) > (size, self.id) }
    }

    init(_ messages: PersonalMessages) {
        sets = [RecipientSet](repeating: [], count: messages.classes.count)
    }

    /// Everybody whose row was judged.
    var all: RecipientSet { (sets + mistakes.values).reduce(into: []) { $0.formUnion($1) } }

    /// The same without the rows of other recipients. `nil` if one of these is among the first bad rows or makes the
    /// largest message, because the next one is not known.
    func limited(to members: RecipientSet) -> JudgedRows? {
        guard !all.subtracting(members).isEmpty else { return self }
        let shown = firstBad.rows.map(\.id) + [longest?.id].compactMap(\.self)
        guard shown.allSatisfy(members.contains) else { return nil }
        var limited = self
        limited.sets = sets.map { $0.intersection(members) }
        limited.mistakes = mistakes.mapValues { $0.intersection(members) }.filter { !$0.value.isEmpty }
        return limited
    }

    mutating func judge(_ row: ValueFile.Row, _ messages: PersonalMessages) {
        switch messages.judge(row.bytes, key: row.key) {
        case .good(let place, let size):
            sets[place].insert(row.id)
            if longest?.outranks(size, row.id) == true { return }
            longest = Longest(id: row.id, size: size, values: row.values, line: row.line, place: place)
        case .bad(let mistake):
            mistakes[mistake.kind, default: []].insert(row.id)
            firstBad.note(.init(id: row.id, line: row.line, mistake: mistake))
        }
    }

    /// Adds what became of other rows.
    mutating func add(_ other: JudgedRows) {
        for (place, members) in other.sets.enumerated() { sets[place].formUnion(members) }
        for (kind, members) in other.mistakes { mistakes[kind, default: []].formUnion(members) }
        for row in other.firstBad.rows { firstBad.note(row) }
        if let one = other.longest, longest?.outranks(one.size, one.id) != true { longest = one }
    }
}

/// The bad rows with the lowest lines, at most `RowCensus.shownLines`. Of rows with one line those of the lowest numbers
/// come first.
struct FirstBadRows: Sendable {
    private(set) var rows: [RowCensus.BadRow] = []

    fileprivate mutating func note(_ row: RowCensus.BadRow) {
        let place = rows.indices.first { (row.line, row.id) < (rows[$0].line, rows[$0].id) } ?? rows.count
        guard place < RowCensus.shownLines else { return }
        rows.insert(row, at: place)
        if rows.count > RowCensus.shownLines { rows.removeLast() }
    }
}
