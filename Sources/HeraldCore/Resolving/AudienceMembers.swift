/// The members of each audience, before suppression. An audience has every recipient with a row in its source list that
/// passes all filters and outcomes on the way, except recipients that it, or an audience on the way, excludes.
struct AudienceMembers {
    private var members: [String: RecipientSet] = [:]
    /// The audiences that go by outcomes, also by way of others.
    private(set) var goingByOutcomes: Set<String> = []
    /// Those of them of whose members nobody knows yet who they are, and the campaigns of which people are still tried.
    private(set) var undecided: [String: Set<String>] = [:]
    /// Whether it is known of whom what came.
    private let isKnown: Bool

    subscript(_ name: String) -> RecipientSet { members[name] ?? [] }

    func union(_ names: [Located<String>]) -> RecipientSet {
        names.reduce(into: RecipientSet()) { $0.formUnion(self[$1.value]) }
    }

    /// Whom these audiences take out of another one. Where nobody knows who is in one of them, it takes nobody out.
    func leavingOut(_ names: [Located<String>]) -> RecipientSet {
        union(isKnown ? names : names.filter { !goingByOutcomes.contains($0.value) })
    }

    /// - Parameters:
    ///   - audiences: ordered so that each comes after those it is made from.
    ///   - limits: who passes the outcomes that audiences go by. `nil` if that is not known. Then audiences have everybody
    ///     who may be in them.
    ///   - rows: the recipients with a row that passes the filters.
    init(_ audiences: [Audience], _ limits: [String: OutcomeLimit]?, rows: (String) -> RecipientSet) {
        isKnown = limits != nil
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
            }
            if audience.followUp != nil || audience.uses.contains(where: { goingByOutcomes.contains($0.value) }) {
                goingByOutcomes.insert(name)
            }
            var open = audience.uses.reduce(into: Set<String>()) { $0.formUnion(undecided[$1.value] ?? []) }
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
