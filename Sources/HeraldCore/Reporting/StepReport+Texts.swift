internal import FCM

/// What reports show of the texts of a personal campaign.
extension StepReport {
    /// The accounts by locale, then by variant, by name.
    var texts: [(name: String, account: ClassFigures)] {
        let sorted = { (accounts: [String: ClassFigures], kind: String) in
            accounts.sorted { $0.key < $1.key }.map { (name: "\(kind) \($0.key)", account: $0.value) }
        }
        return sorted(locales, "locale") + sorted(variants, "variant")
    }

    /// The accounts in one line for locales, one for variants, one for those who were left out, one for those who came
    /// too late, and one for each stage.
    var textLines: [String] {
        [Self.line("locales", locales), Self.line("variants", variants), leftOut.words, lateWords].compactMap(\.self)
            + stages.map { "stage \($0.line)" }
    }

    /// What a table says of the step besides its figures.
    var remarks: [String] {
        [stopped.map { "stopped: \($0.words)" }, note, leftOut.words, lateWords].compactMap(\.self)
    }

    private var lateWords: String? { joinedLate.flatMap { Self.words(joinedLate: $0) } }

    /// Who is no part of an occurrence in local time, because they came when their clock had passed it. `nil` if nobody
    /// did.
    static func words(joinedLate number: Int) -> String? {
        number > 0 ? "\(number.grouped) joined or moved too late to get it" : nil
    }

    /// If everybody gets the message itself, there is nothing to tell apart, and no line.
    private static func line(_ title: String, _ accounts: [String: ClassFigures]) -> String? {
        guard !accounts.isEmpty, accounts.keys.first != MessageClass.unnamed || accounts.count > 1 else { return nil }
        let parts = accounts.sorted { $0.key < $1.key }.map { name, account in
            let others = account.figures.dropFirst(2).filter { $0.count > 0 }.map { "\($0.count.grouped) \($0.name)" }
            let more = others.isEmpty ? "" : " (\(others.joined(separator: ", ")))"
            return "\(name) \(account.accepted.grouped) of \(account.planned.grouped)\(more)"
        }
        return "\(title): \(parts.joined(separator: ", "))"
    }

    /// Rows of a Markdown table.
    ///
    /// - Parameter names: those of its columns.
    func textRows(_ names: [String]) -> [String] {
        texts.map { name, account in
            let cells = [id.rawValue.inCell, name.inCell] + account.figures.in(names).map(\.count.grouped)
            return "| \(cells.joined(separator: " | ")) |\n"
        }
    }

    /// The keys that only steps of personal campaigns have, steps that skip somebody, and those of sends in local time or in
    /// stages.
    var textsJSON: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if !locales.isEmpty { members["locales"] = .object(locales.mapValues(\.json)) }
        if !variants.isEmpty { members["variants"] = .object(variants.mapValues(\.json)) }
        if !stages.isEmpty { members["stages"] = .array(stages.map(\.json)) }
        members["skipped_because"] = leftOut.json
        members["joined_late"] = joinedLate.map { .int(Int64($0)) }
        return members
    }
}

extension StepReport.ClassFigures {
    /// In the order of `StepReport.figureNames`.
    var figures: [StepReport.Figure] {
        let counts = [planned, accepted, rejected, unknown, skipped, held, pending]
        return zip(StepReport.figureNames, counts).map { StepReport.Figure(name: $0, count: $1) }
    }

    fileprivate var json: JSONValue {
        .object(Dictionary(uniqueKeysWithValues: figures.map { ($0.name, .int(Int64($0.count))) }))
    }
}

extension StepReport.LeftOutCounts {
    /// How many were skipped for each reason. `nil` if nobody was.
    var json: JSONValue? {
        guard heldOut + gone + dead > 0 || !reasons.isEmpty else { return nil }
        let others = [("held_out", heldOut), ("gone", gone), ("dead", dead)]
        return .object(reasons.json.merging(others.map { ($0, .int(Int64($1))) }) { $1 })
    }

    /// Why recipients were skipped. `nil` if nobody was.
    var words: String? {
        let rows = [
            (heldOut, "held out"), (gone, "not on the list any more"),
            (dead, dead == 1 ? "with a dead registration" : "with dead registrations"),
        ]
        let parts = rows.filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" } + reasons.parts
        return parts.isEmpty ? nil : "skipped: \(parts.joined(separator: ", "))"
    }
}

extension Plan.Send {
    /// Whom a plan shows as skipped: also those whom a cap stops only because of what else it sends.
    var shownLeftOut: StepReport.LeftOutCounts {
        var leftOut = StepReport.LeftOutCounts(self)
        leftOut.reasons.merge(skipped.counts) { $1 }
        return leftOut
    }

    /// Whom it will skip, and why. Empty if that is nobody. Holdouts and bad rows stand with the personal messages.
    var wordsOfSkipped: String {
        var leftOut = shownLeftOut
        (leftOut.heldOut, leftOut.reasons[.badRow]) = (0, nil)
        return leftOut.words ?? ""
    }
}
