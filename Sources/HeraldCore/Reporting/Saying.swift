/// Something that is said of one name or of several.
struct Saying: Hashable {
    var names: [String]
    var text: String

    init(_ name: String, _ text: String = "") { (names, self.text) = ([name], text) }

    init(names: [String], text: String) { (self.names, self.text) = (names, text) }

    /// More are only counted.
    private static let shown = 20

    /// `flood@once, ebb@once and 4 more`
    var subject: String {
        let rest = names.count - Self.shown
        return names.prefix(Self.shown).joined(separator: ", ") + (rest > 0 ? " and \(rest.grouped) more" : "")
    }
}

extension [Saying] {
    /// What is said several times is said once, of all its names, where it was said first.
    var merged: [Saying] {
        var places: [String: Int] = [:]
        var merged: [Saying] = []
        for saying in self {
            if let place = places[saying.text] {
                merged[place].names += saying.names
            } else {
                places[saying.text] = merged.count
                merged.append(saying)
            }
        }
        return merged
    }
}

extension [Plan.Missed] {
    var sayings: [Saying] { map { Saying($0.occurrence.rawValue, $0.reason) }.merged }
}

extension [Plan.Unapproved] {
    var sayings: [Saying] { map { Saying($0.resource.words, $0.reason) }.merged }

    /// What to type to approve them. A plan needs the lists that were not fetched.
    package var command: String {
        let fetch = lists.isEmpty ? "" : "herald fetch \(lists.joined(separator: " ")) && "
        return fetch + "herald plan --out plan.json && herald approve plan.json --by \"$USER\""
    }

    /// What to do before that.
    package var care: String {
        let places = lists.isEmpty ? "" : "where the list comes from before you fetch it, and at "
        return "look at \(places)the plan before you approve it"
    }

    /// The audiences whose list was not fetched.
    private var lists: [String] { filter { $0.resource.kind == .audience }.map(\.resource.name) }

    /// A sentence for each reason.
    package var sentences: [String] { sayings.map { "\($0.subject): \($0.text)" } }
}

extension [Plan.Held] {
    /// Several that wait for the same reason share one command, in which a word stands for the name.
    var sayings: [Saying] {
        let alike = Dictionary(grouping: self, by: \.likeness)
        return map { held in
            let isAlone = alike[held.likeness]?.count == 1
            return Saying(
                held.occurrence.rawValue, isAlone ? "\(held.reason); \(held.resolve)" : held.likeness)
        }.merged
    }
}

extension Plan.Held {
    /// What it says, whatever it is about.
    fileprivate var likeness: String {
        "\(reason); \(resolve)".replacing(occurrence.rawValue, with: "OCCURRENCE")
            .replacing("herald resume \(occurrence.campaign)", with: "herald resume CAMPAIGN")
    }
}

extension [String] {
    /// Warnings that differ by nothing but names are one, and the names of the others follow.
    var mergedWarnings: [String] {
        if count < 2 { return self }
        // Compiled once for all of them.
        let form = Self.name
        var places: [String: Int] = [:]
        var merged: [(text: String, others: [String])] = []
        for warning in self {
            let likeness = warning.replacing(form, with: "NAME")
            if let place = places[likeness], let name = warning.firstMatch(of: form) {
                merged[place].others.append(String(name.output))
            } else {
                places[likeness] = merged.count
                merged.append((warning, []))
            }
        }
        return merged.map { text, others in
            others.isEmpty ? text : "\(text); the same for \(Saying(names: others, text: "").subject)"
        }
    }

    /// A quoted name, or an occurrence.
    private static var name: Regex<Substring> { #/'[^']*'|[a-z0-9][a-z0-9._-]*@[0-9a-zA-Z:#~.-]*[0-9a-zA-Z]/# }
}

extension [PlanOverview.Upcoming] {
    /// The next send of each campaign, how many more there are, and when the last of them is. One with a note of its own
    /// stands alone. Those that are only counted have no notes.
    var byCampaign: [ComingSends] {
        var places: [String: Int] = [:]
        var merged: [ComingSends] = []
        for upcoming in self {
            let plain = "\(upcoming.occurring.campaign)\n"
            let key = plain + upcoming.occurring.note
            if let place = places[key], upcoming.waves.isEmpty {
                merged[place].more += 1
                merged[place].last = upcoming.occurring.local
            } else {
                places[key] = merged.count
                merged.append(ComingSends(next: upcoming, last: upcoming.occurring.local))
            }
            if let further = upcoming.further, let place = places[plain] ?? places[key] {
                merged[place].more += further.count
                merged[place].last = further.last
            }
        }
        return merged
    }
}

/// The sends of one campaign that are to come.
struct ComingSends: Hashable {
    var next: PlanOverview.Upcoming
    /// How many come after it.
    var more = 0
    var last: LocalTime

    /// `6 more sends until Wed 2026-12-02 06:30`. Empty if there are no more.
    var rest: String { more > 0 ? "\(count(more, "more send")) until \(last.spoken)" : "" }
}
