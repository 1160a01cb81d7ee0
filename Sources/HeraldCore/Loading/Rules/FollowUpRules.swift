internal import FCM

/// Whether audiences that go by outcomes can be known before the campaigns that go to them.
struct FollowUpRules {
    private let workspace: Workspace
    /// The first one, where several have a name.
    private let campaigns: [String: Campaign]

    init(_ workspace: Workspace) {
        self.workspace = workspace
        campaigns = Dictionary(workspace.campaigns.map { ($0.name.value, $0) }) { first, _ in first }
    }

    func check(_ found: inout FindingsOfFiles) {
        for followUp in workspace.audiences.compactMap(\.followUp) {
            guard let campaign = campaigns[followUp.campaign.value] else { continue }
            checkTarget(of: followUp, campaign, &found)
            checkOccurrence(of: followUp, campaign, &found)
        }
        checkDependencies(&found)
    }

    private func checkTarget(of followUp: Audience.FollowUp, _ campaign: Campaign, _ found: inout FindingsOfFiles) {
        let target = campaign.target.value
        guard target.isOneRequest(campaign.delivery) else { return }
        found.add(at: followUp.campaign.range) { _ in
            .error(
                .outcomeTarget,
                "nobody knows what came of whom in '\(campaign.name.value)': one request reaches everybody of a \(target.named.key)",
                at: followUp.campaign.range, help: "name a campaign whose target is an audience")
        }
    }

    private func checkOccurrence(
        of followUp: Audience.FollowUp, _ campaign: Campaign, _ found: inout FindingsOfFiles
    ) {
        // A renamed campaign's occurrences keep their ids.
        let names = [campaign.name.value] + campaign.previousNames.map(\.value)
        guard let id = followUp.occurrence, id.value.contains("@"),
            !names.contains(where: { id.value.hasPrefix("\($0)@") })
        else { return }
        found.add(at: id.range) { _ in
            .error(
                .invalidValue, "'\(id.value)' is no occurrence of campaign '\(campaign.name.value)'", at: id.range,
                help: "its occurrences begin with \(campaign.name.value)@, or with a name in its 'previous_names'")
        }
    }

    /// The places of the audiences with outcomes that decide who is in each audience.
    private func decisive() -> [String: Set<Int>] {
        let names = workspace.audiences.map(\.name.value)
        let places = Dictionary(zip(names, names.indices)) { first, _ in first }
        var decisive: [String: Set<Int>] = [:]
        for audience in workspace.audiences.inOrder(from: names) {
            let name = audience.name.value
            var found = audience.uses.reduce(into: Set<Int>()) { $0.formUnion(decisive[$1.value] ?? []) }
            if audience.followUp != nil, let place = places[name] { found.insert(place) }
            if !found.isEmpty { decisive[name] = found }
        }
        return decisive
    }

    /// A campaign whose recipients another one decides, and the other way round, would never settle who comes first.
    private func checkDependencies(_ found: inout FindingsOfFiles) {
        var uses: [String: [Located<String>]] = [:]
        let decisive = decisive()
        for campaign in workspace.campaigns.sorted(by: { $0.name.value < $1.name.value }) {
            let name = campaign.name.value
            let places = workspace.audiences(decidingOf: campaign).reduce(into: Set<Int>()) {
                $0.formUnion(decisive[$1] ?? [])
            }
            let followUps = places.sorted().compactMap { workspace.audiences[$0].followUp }
            uses[name] = followUps.map(\.campaign).filter { $0.value != name && campaigns[$0.value] != nil }
            guard !campaign.hasEarlierOccurrences else { continue }
            for followUp in followUps where followUp.campaign.value == name && followUp.occurrence == nil {
                found.add(at: followUp.campaign.range) { _ in
                    .error(
                        .outcomeCycle, "campaign '\(name)' depends on its own outcomes, and has no earlier occurrence",
                        at: followUp.campaign.range,
                        help: "let it have a cron schedule, or go by another campaign")
                }
            }
        }
        var circles: [([String], SourceRange)] = []
        Circles.find(among: uses.keys.sorted(), { uses[$0] ?? [] }) { circles.append(($0, $1)) }
        for (names, range) in circles {
            found.add(at: range) { _ in
                .error(
                    .outcomeCycle, "campaigns depend on each other's outcomes in a circle: \(Circles.words(names))",
                    at: range, help: "let one of them go to an audience that does not go by the other's outcomes")
            }
        }
    }
}

extension Campaign {
    /// Whether an occurrence of it may come after another one.
    fileprivate var hasEarlierOccurrences: Bool { schedule.repeats || revision > 1 }
}
