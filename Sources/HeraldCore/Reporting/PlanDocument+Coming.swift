internal import FCM

extension PlanDocument {
    /// What nobody approved: what is left out now, what waits and what is held. "Coming up" marks its own.
    var unapproved: [Plan.Unapproved] {
        let coming = Set(overview.upcoming.map(\.occurring.campaign))
        let others = overview.unapproved.filter {
            let name = $0.resource.name
            return !coming.contains(name) && (campaigns.isEmpty || campaigns.contains(name))
                && !plan.unapproved.contains($0)
        }
        return plan.unapproved + others
    }

    /// What comes, a line for each campaign: when it comes next, whom it is for, and how often it comes after that.
    ///
    /// - Parameter shown: the most lines.
    static func comingLines(_ overview: PlanOverview, shown: Int) -> [String] {
        let all = overview.upcoming.byCampaign
        let told = all.prefix(shown)
        let lines = told.map {
            (time: $0.next.occurring.words, rest: line($0, in: overview))
        }
        let width = lines.map(\.time.count).max() ?? 0
        let omitted =
            overview.upcoming.count + overview.upcomingOmitted - told.reduce(0) { $0 + 1 + $1.more }
        return lines.map { "\($0.time.padded(to: width))  \($0.rest)" }
            + (omitted > 0 ? ["and \(omitted.grouped) more; 'herald calendar' lists them"] : [])
    }

    private static func line(_ coming: ComingSends, in overview: PlanOverview) -> String {
        let (next, note) = (coming.next, overview.note(of: coming.next))
        var line = "\(next.occurring.campaign), to \(next.target.words)"
        if !next.waves.isEmpty {
            line += ", \(next.words(overview.figures)) in \(count(next.waves.count, "wave"))"
        }
        if !note.isEmpty { line += " (\(note))" }
        return coming.more > 0 ? "\(line); \(coming.rest)" : line
    }
}

extension PlanOverview.Upcoming {
    /// How many it is for: `1,204 recipients`. Empty if no list was read.
    func words(_ figures: PlanOverview.Figures) -> String {
        words(figures, as: count(reach, "recipient"), unknown: "an unknown number of recipients")
    }

    /// - Parameter text: the number as it is written.
    func words(_ figures: PlanOverview.Figures, as text: String, unknown: String) -> String {
        figures.words(reach, isCounted: isCounted, isMost: capped != nil, as: text, unknown: unknown)
    }
}
