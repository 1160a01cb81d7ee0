/// The names that campaigns have and had, as the files and the state tell them together.
package struct CampaignNames {
    private let state: RecordedState
    /// By the names of the files, present and previous ones: the name that the campaign has now.
    private let owners: [String: String]
    /// By present names.
    private let previous: [String: Set<String>]

    package init(of campaigns: [Campaign], _ state: RecordedState) {
        self.state = state
        var owners: [String: String] = [:]
        for campaign in campaigns {
            for old in campaign.previousNames { owners[old.value] = campaign.name.value }
        }
        // Where a name is another campaign's by now, that one has it.
        for name in campaigns.map(\.name.value) { owners[name] = name }
        self.owners = owners
        previous = Dictionary(campaigns.map { ($0.name.value, Set($0.previousNames.map(\.value))) }) { one, _ in one }
    }

    /// The names that files give campaigns, present and previous ones.
    static func claimed(by campaigns: [Campaign]) -> Set<String> {
        Set(campaigns.flatMap { [$0.name.value] + $0.previousNames.map(\.value) })
    }

    /// All of them, to propose one for a mistyped name.
    package var all: Set<String> {
        Set(owners.keys).union(state.pauses.campaigns).union(state.watermarks.keys).union(state.formerNames.keys)
            .union(state.formerNames.values.joined()).union(state.occurrences.values.map(\.campaign))
            .union(state.tests.map(\.campaign))
    }

    /// What is paused, by present names.
    var paused: Set<String> {
        Set(state.pauses.campaigns.map { owners[$0] ?? $0 })
    }

    /// The present names of whoever has that name, or had it. More than one if several campaigns had it, one after the
    /// other, and none has it now. Empty if nobody knows the name.
    private func present(of name: String) -> Set<String> {
        if let owner = owners[name] { return [owner] }
        // What was recorded after the name became free is another campaign's.
        if state.hasRecords(of: name) { return [name] }
        return Set(successors(of: name).map { owners[$0] ?? $0 })
    }

    /// Under which names the state has what it once had under that one.
    private func successors(of name: String) -> [String] {
        state.formerNames.filter { $0.value.contains(name) }.map(\.key)
    }

    /// Whom a person means by a name. `nil` if nobody knows it.
    package func campaigns(called name: String) -> Called? {
        var present = present(of: name)
        if present.isEmpty, state.pauses.campaigns.contains(name) { present = [name] }
        guard !present.isEmpty else { return nil }
        // Where the files are older than the state, it has the campaign under a later name that they do not know.
        for owner in present where !state.hasRecords(of: owner) {
            present.formUnion(successors(of: owner).filter { owners[$0] == nil })
        }
        return Called(name: name, present: present, held: held(present), known: known(present))
    }

    /// The names under which the state may have what a person calls by one, the present ones first. Only that name if
    /// nobody knows it.
    package func recorded(of name: String) -> [String] {
        guard let called = campaigns(called: name) else { return [name] }
        return called.present.sorted() + called.held.subtracting(called.present).sorted()
    }

    /// A run may know a campaign by each name that its history may still be under, also one that began with earlier files.
    private func held(_ present: Set<String>) -> Set<String> {
        present.reduce(into: present) { held, name in
            let moved = state.formerNames[name] ?? []
            held.formUnion(
                (previous[name] ?? []).filter {
                    owners[$0] == name && (!moved.contains($0) || state.hasRecords(of: $0))
                })
        }
    }

    private func known(_ present: Set<String>) -> Set<String> {
        let olds = present.union(present.flatMap { previous[$0] ?? [] })
        return olds.union(olds.flatMap { state.formerNames[$0] ?? [] }).filter { name in
            if let owner = owners[name] { return present.contains(owner) }
            return present.contains(name) || !state.hasRecords(of: name)
        }
    }

    /// The campaigns that a person calls by a name.
    package struct Called: Hashable, Sendable {
        fileprivate let name: String
        package let present: Set<String>
        /// Those that a pause is for.
        fileprivate let held: Set<String>
        /// Those that a pause may have been noted for.
        fileprivate let known: Set<String>

        /// For people, each of them: `campaign 'tides', which was called 'tide',`.
        package var words: [String] {
            present.sorted().map { $0 == name ? "campaign '\($0)'" : "campaign '\($0)', which was called '\(name)'," }
        }

        package var pausing: [StateChange] { held.sorted().map { .pause($0) } }

        /// Empty if none of them is paused by name.
        package func resuming(_ pauses: Pauses) -> [StateChange] {
            known.intersection(pauses.campaigns).sorted().map { .resume($0) }
        }
    }
}
