internal import FCM

/// Whom each audience holds: whoever has a row, in the list that the audience ends at, that passes every filter on the
/// way there, less everybody whom it, or an audience on that way, leaves out. Nobody is suppressed yet.
struct AudienceMembers {
    private var members: [String: RecipientSet] = [:]
    private var rows: [String: Rows] = [:]

    /// Some rows of a list.
    fileprivate struct Rows {
        /// The list; `nil` for registrations that stand in the audience's own file.
        var list: ListFile?
        /// Whose row each is; 0 where a row has not passed the filters of the audience that names the list.
        var recipients: [RecipientID]
        /// Which rows they are; `nil` for all but those.
        var places: RecipientSet?
        var set: RecipientSet
        /// Everybody whom the audiences on the way leave out.
        var excluded: RecipientSet = []
    }

    subscript(_ name: String) -> RecipientSet { members[name] ?? [] }

    func union(_ names: [Located<String>]) -> RecipientSet {
        names.reduce(into: RecipientSet()) { $0.formUnion(self[$1.value]) }
    }

    /// - Parameters:
    ///   - audiences: each behind those it is made of.
    ///   - recipients: of each audience with registrations of its own, row by row; 0 where a row does not pass.
    init(_ audiences: [Audience], recipients: [String: [RecipientID]]) {
        for audience in audiences {
            let name = audience.name.value
            var own: Rows
            switch audience.source {
            case .audience(let from):
                guard let rows = rows[from.value] else { continue }
                own = rows.passing(audience.filters)
            case .list(let list): own = Rows(list, recipients[name] ?? [])
            case .inline: own = Rows(nil, recipients[name] ?? [])
            }
            own.excluded.formUnion(union(audience.exclude))
            rows[name] = own
            members[name] = own.set.subtracting(own.excluded)
        }
    }
}

fileprivate extension AudienceMembers.Rows {
    init(_ list: ListFile?, _ recipients: [RecipientID]) {
        self.list = list
        self.recipients = recipients
        set = RecipientSet(recipients.lazy.filter { $0 != 0 })
    }

    func passing(_ filters: [Audience.Filter]) -> Self {
        guard !filters.isEmpty else { return self }
        let passes = list?.passing(filters) ?? { _ in false }
        var (narrowed, passed) = (self, RecipientSet())
        narrowed.set = []
        func look(at row: Int) {
            guard recipients[row] != 0, passes(row) else { return }
            passed.insert(RecipientID(row))
            narrowed.set.insert(recipients[row])
        }
        if let places { places.forEach { look(at: Int($0)) } } else { recipients.indices.forEach { look(at: $0) } }
        narrowed.places = passed
        return narrowed
    }
}

extension ListFile {
    /// Whether the row at an index of `registrations` passes all filters.
    func passing(_ filters: [Audience.Filter]) -> (Int) -> Bool {
        let tests = filters.map { (values: $0.values, column: columns[$0.column.value] ?? []) }
        return { row in
            tests.allSatisfy { test in row < test.column.count && test.values.contains(test.column[row]) }
        }
    }
}
