/// The members of each audience, before suppression. An audience has every recipient with a row in its source list that
/// passes all filters and outcomes on the way, except recipients that it, or an audience on the way, excludes.
struct AudienceMembers {
    private var members: [String: RecipientSet] = [:]
    /// The audiences that go by outcomes, also by way of others.
    private(set) var goingByOutcomes: Set<String> = []
    /// Those of them of whose members nobody knows yet who they are, and the campaigns of which people are still tried.
    private(set) var undecided: [String: Set<String>] = [:]
    /// Those of them that outcomes choose, and that do not only exclude others by them.
    private var chosen: Set<String> = []
    /// Whether it is known of whom what came.
    private let isKnown: Bool
    /// Whom audiences have where that is known, and which of them are undecided.
    private let known: (members: [String: RecipientSet], undecided: [String: Set<String>])

    subscript(_ name: String) -> RecipientSet { members[name] ?? [] }

    func union(_ names: [Located<String>]) -> RecipientSet {
        names.reduce(into: RecipientSet()) { $0.formUnion(self[$1.value]) }
    }

    /// Whom these audiences take out of another one. Where nobody knows who is in one of them, it takes nobody out.
    func leavingOut(_ names: [Located<String>]) -> RecipientSet {
        names.reduce(into: RecipientSet()) { out, name in
            let isOwn = isKnown || !goingByOutcomes.contains(name.value)
            out.formUnion(isOwn ? self[name.value] : optingOut(name.value))
        }
    }

    /// Whom a list takes out that goes by outcomes only because it excludes others by them.
    private func optingOut(_ name: String) -> RecipientSet { chosen.contains(name) ? [] : known.members[name] ?? [] }

    /// The campaigns because of which nobody knows yet whom such lists take out.
    private func undecided(leavingOut names: [Located<String>]) -> Set<String> {
        names.reduce(into: []) { if !chosen.contains($1.value) { $0.formUnion(known.undecided[$1.value] ?? []) } }
    }

    /// Whether nobody knows yet whom such lists take out of a campaign that has begun.
    ///
    /// - Parameter deciding: the audiences that decide who gets it.
    func isUndecided(_ campaign: Campaign, deciding names: [String]) -> Bool {
        let open = names.reduce(into: undecided(leavingOut: campaign.exclude)) { $0.formUnion(undecided[$1] ?? []) }
        return !open.subtracting([campaign.name.value]).isEmpty
    }

    /// - Parameters:
    ///   - audiences: ordered so that each comes after those it is made from.
    ///   - limits: who passes the outcomes that audiences go by. `nil` if that is not known. Then audiences have everybody
    ///     who may be in them.
    ///   - known: the same audiences where that is known. Lists of people to leave out are as they are there, whatever
    ///     they exclude.
    ///   - rows: the recipients with a row that passes the filters.
    init(
        _ audiences: [Audience], _ limits: [String: OutcomeLimit]?, optingOut known: AudienceMembers? = nil,
        rows: (String) -> RecipientSet
    ) {
        isKnown = limits != nil
        self.known = (known?.members ?? [:], known?.undecided ?? [:])
        // All recipients that the audiences on the way exclude, and the outcomes that they go by.
        var excluded: [String: RecipientSet] = [:]
        var passed: [String: [OutcomeLimit]] = [:]
        for audience in audiences {
            let name = audience.name.value
            var out = RecipientSet()
            var outcomes: [OutcomeLimit] = []
            if case .audience(let from) = audience.source {
                guard let before = excluded[from.value] else { continue }
                (out, outcomes) = (before, passed[from.value] ?? [])
                if chosen.contains(from.value) { chosen.insert(name) }
            }
            if audience.followUp != nil { chosen.insert(name) }
            if audience.followUp != nil || audience.uses.contains(where: { goingByOutcomes.contains($0.value) }) {
                goingByOutcomes.insert(name)
            }
            var open = audience.uses.reduce(into: Set<String>()) { $0.formUnion(undecided[$1.value] ?? []) }
            open.formUnion(undecided(leavingOut: audience.exclude))
            if let followUp = audience.followUp, limits?[name]?.isUndecided == true {
                open.insert(followUp.campaign.value)
            }
            if !open.isEmpty { undecided[name] = open }
            if let limits, audience.followUp != nil { outcomes.append(limits[name] ?? .nobody) }
            if !audience.exclude.isEmpty { out.formUnion(leavingOut(audience.exclude)) }
            (excluded[name], passed[name]) = (out, outcomes)
            members[name] = outcomes.reduce(rows(name).subtracting(out)) { $1.passing($0) }
        }
    }
}
