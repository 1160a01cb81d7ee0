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
        package var id: RecipientID
        /// The number of the row's line in its list. 0 for a registration that stands in a file of the workspace.
        package var line: Int
        package var mistake: RowMistake
    }

    package init() {}

    /// Recipients whose row makes no message.
    package var bad: RecipientSet { mistakes.values.reduce(into: []) { $0.formUnion($1) } }

    /// How many recipients have a bad row, by its first mistake.
    ///
    /// - Parameter members: those of whom it is asked.
    package func counts(among members: RecipientSet) -> [RowMistake.Kind: Int] {
        mistakes.mapValues { $0.intersection(members).count }.filter { $0.value > 0 }
    }

    /// Takes those of some recipients who are in a holdout out of it, and returns them.
    mutating func takeOutOfHoldouts(_ members: RecipientSet) -> RecipientSet {
        var taken = RecipientSet()
        for (recipients, all) in classes where recipients.isHoldout {
            let rest = all.subtracting(members)
            taken.formUnion(all.subtracting(rest))
            classes[recipients] = rest.isEmpty ? nil : rest
        }
        return taken
    }

    /// Adds a seed.
    mutating func add(_ id: RecipientID, _ verdict: RowVerdict, _ messages: PersonalMessages) {
        switch verdict {
        case .good(let place, _): classes[messages.classes[place], default: []].insert(id)
        case .bad(let mistake): mistakes[mistake.kind, default: []].insert(id)
        }
    }

    init(_ judged: JudgedRows, _ messages: PersonalMessages) {
        for (recipients, members) in zip(messages.classes, judged.sets) where !members.isEmpty {
            classes[recipients] = members
        }
        mistakes = judged.mistakes
        firstBad = judged.firstBad.rows
        largest = judged.longest?.size ?? 0
        longest = judged.longest.flatMap {
            LongestMessage($0, in: messages.classes[$0.place], messages)
        }
    }
}
