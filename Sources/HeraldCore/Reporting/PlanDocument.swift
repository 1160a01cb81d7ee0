internal import FCM

/// A plan as it is shown and saved. It holds no registration.
package struct PlanDocument: Document {
    let proposal: Proposal
    package var id: String
    package var created: Date
    /// What a reviewer approves. `nil` if nobody is asked.
    package var approval: Approval?
    /// The workspace's name, for readers. It depends on no machine.
    package var workspace = ""
    /// The campaigns that the files declare.
    package var declared: [Campaign] = []
    /// The texts of personal campaigns that readers are shown, by the campaign's name.
    package var texts: [String: [ChosenText]] = [:]
    /// What the files change. `nil` if they were not compared with other ones.
    package var comparison: Comparison?
    /// Warnings about the files that readers do not see beside the plan. `nil` if they do.
    var fileWarnings: FileWarnings?
    let campaigns: [String]
    let days: Int
    /// How many days ahead a plan looks by default.
    package static let usualDays = 7

    /// A plan is valid until a send of it would be too late for somebody, and a day at most.
    private static let lifetime: Duration = .seconds(24 * 3600)

    /// - Parameter campaigns: The campaigns it is limited to; empty for all.
    package init(_ proposal: Proposal, id: String, created: Date, campaigns: [String] = [], days: Int = usualDays) {
        self.days = days
        self.proposal = proposal
        self.campaigns = campaigns
        self.id = id
        self.created = created
    }

    package var hasChanges: Bool { !plan.isEmpty }
    package var isRefused: Bool { !plan.refusals.isEmpty }

    var plan: Plan { proposal.plan }
    var overview: PlanOverview { proposal.overview }

    package var expires: Date {
        let deadlines = plan.steps.flatMap { step -> [Date?] in
            if case .send(let send) = step.work { [send.deadline, send.firstDeadline] } else { [] }
        }
        return min(plan.at.adding(Self.lifetime), deadlines.compactMap(\.self).min() ?? .distantFuture)
    }

    /// SHA-256 of what is done: all of the document except what names it and what is for reviewers.
    package var digest: String { Self.digest(of: content) }

    static func digest(of document: [String: JSONValue]) -> String {
        let varying: Set<String> = ["id", "created", "digest", "approval", "definitions", "base", "changes"]
        return JSONValue.object(document.filter { !varying.contains($0.key) }).digest
    }

    /// A value is `nil` if it is unknown.
    var summary: [String: Int?] {
        var summary = [
            "subscribe": 0, "unsubscribe": 0, "group_create": 0, "group_add": 0, "group_remove": 0, "group_delete": 0,
            "send": 0, "recipients": 0, "collapsed": overview.collapsed,
        ]
        for step in plan.steps {
            if case .send(let send) = step.work {
                summary["send", default: 0] += 1
                summary["recipients", default: 0] += send.recipients
                if !send.isCounted { summary["uncounted", default: 0] += 1 }
            } else {
                summary[step.work.action.description, default: 0] += step.work.planned
            }
        }
        let left = overview.leftByThemselves.values.reduce(0, +)
        if left > 0 { summary["left_by_themselves"] = left }
        let isUnknown = overview.figures == .unknown
        return summary.reduce(into: ["dead_listed": isUnknown ? nil : overview.deadListed]) {
            $0[$1.key] = isUnknown && !["send", "uncounted"].contains($1.key) ? .some(nil) : $1.value
        }
    }

    /// How many coming sends people are shown.
    private static let shownComing = 10

    package func text(_ style: TextStyle) -> String {
        var text = comparison.map { section("What the files change", $0.lines) + "\n" } ?? ""
        let lines = plan.steps.map { Self.line($0, overview.figures) }
        let verbWidth = lines.map(\.verb.count).max() ?? 0
        let width = lines.map(\.subject.count).max() ?? 0
        for (line, step) in zip(lines, plan.steps) {
            let verb = line.verb.padded(to: verbWidth)
            let painted =
                switch line.verb.first {
                case "+": style.green(verb)
                case "-": style.red(verb)
                default: style.yellow(verb)
                }
            text += "  \(painted)  \(line.subject.padded(to: width))  \(line.figures)"
            text += style.faint("  (\(step.reason))") + "\n"
        }
        text += section("Coming up", Self.comingLines(overview, shown: Self.shownComing))
        text += section("Who gets it when", sendCharts.flatMap(\.textLines))
        text += section("Waiting", plan.waiting.map { $0.line(overview.figures) } + zoneLines)
        for (title, sayings) in unsent { text += section(title, sayings.map { "\($0.subject)  \($0.text)" }) }
        text += section(
            "Guards that need an override",
            plan.refusals.byGuard.flatMap { refused in
                refused.messages.map { "\(refused.kind.rawValue): \($0)" } + ["  help: \(refused.help)"]
            })
        text += section(
            "Personal messages",
            overview.personal.flatMap { personal in
                ["\(personal.campaign): \(personal.figures)"]
                    + (personal.longestLines + personal.mistakes).map { "  \($0.visible)" }
            })
        text += section("Left by themselves", leftByThemselves)
        text += section("Left out by 'where'", overview.leftOut.map(\.words))
        text += section("Not approved, and so left out", unapproved.sayings.map(\.words))
        text += section("Guards that this plan cannot judge", overview.unjudged.lines)
        text += section("Warnings", overview.warnings.mergedWarnings)
        if !text.isEmpty { text += "\n" }
        // A plan without steps begins with a section's title, and needs no line break before it.
        return String(text.drop { $0 == "\n" }) + conclusion + "\n"
    }

    /// The plan in one sentence.
    package var conclusion: String {
        if plan.isEmpty, !leftOut.isEmpty { return "Nothing to do, and \(leftOut.joined(separator: ", "))." + unread }
        if plan.isEmpty {
            let match =
                plan.state == nil
                ? "Nothing to do. There is no state yet."
                : overview.snapshot == nil
                    ? "Nothing to do: the state matches the files." : "Nothing to do, as far as the snapshot shows."
            return match + unread
        }
        if plan.steps.isEmpty {
            let missed = [
                (plan.missedCount, "missed"), (plan.supersededCount, "superseded"),
                (plan.joinedLate.count, "without anybody"),
            ]
            .filter { $0.0 > 0 }.map { "\(count($0, "occurrence")) \($1)" }.joined(separator: ", ")
            return "Plan: nothing to send or change, \(missed)." + unread
        }
        var parts: [String] = []
        let figures = summary
        for (name, words) in [
            ("subscribe", "to subscribe"), ("unsubscribe", "to unsubscribe"), ("adopt", "to adopt"),
            ("return", "to give back"),
            ("group_create", "to put into new groups"),
            ("group_add", "to add to groups"), ("group_remove", "to take out of groups"),
            ("group_delete", "in groups to delete"),
        ] {
            if let number = figures[name] ?? nil, number > 0 { parts.append("\(number.grouped) \(words)") }
        }
        if let number = figures["send"] ?? nil, number > 0 {
            let recipients =
                (figures["recipients"] ?? nil).map {
                    let text = count($0, "recipient")
                    return " to \(overview.figures.words($0, isCounted: figures["uncounted"] == nil, as: text))"
                } ?? ""
            parts.append("\(count(number, "send"))\(recipients)")
        }
        var sentence = "Plan: \(parts.joined(separator: ", "))."
        // A plan of one campaign says nothing about double rows in all lists.
        if overview.collapsed > 0, campaigns.isEmpty {
            sentence += " \(count(overview.collapsed, "duplicate")) left out."
        }
        if let dead = overview.deadListed, dead > 0 {
            sentence += " \(count(dead, "recipient")) with dead registrations left out."
        }
        if plan.state == nil { sentence += " There is no state yet." }
        return sentence + unread
    }

    /// What waits for a person.
    private var leftOut: [String] {
        var parts: [String] = []
        if !plan.waiting.isEmpty { parts.append("\(count(plan.waiting.count, "occurrence")) waiting") }
        // One may be held for two reasons.
        let held = Set(plan.held.map(\.occurrence)).count
        if held > 0 { parts.append("\(count(held, "occurrence")) held") }
        if !plan.unapproved.isEmpty { parts.append("\(count(plan.unapproved.count, "definition")) not approved") }
        if !plan.refusals.isEmpty { parts.append(count(plan.refusals.count, "refusal")) }
        return parts
    }

    /// What the plan could not look at.
    private var unread: String {
        let source = overview.snapshot.map { " Planned from the snapshot of \($0.rfc3339)." } ?? ""
        switch overview.figures {
        case .exact: return source
        case .estimated: return source + " Figures are estimates, because a snapshot has only sizes."
        case .unknown:
            return source + " Lists were not read: memberships are not compared, recipients not counted."
        }
    }

    /// Shorter times are not shown.
    private static let shownSeconds = 5

    private static func duration(_ step: Plan.Step) -> String {
        guard step.seconds >= shownSeconds else { return "" }
        let ramp = step.rampSeconds > 0 ? ", \(Duration.seconds(step.rampSeconds).roughText) of it for the ramp" : ""
        return ", about \(Duration.seconds(step.seconds).roughText)\(ramp)"
    }

    /// One step in three columns.
    static func line(
        _ step: Plan.Step, _ figures: PlanOverview.Figures
    ) -> (verb: String, subject: String, figures: String) {
        var line = columns(step, figures)
        if figures != .unknown { line.figures += duration(step) }
        return line
    }

    private static func columns(
        _ step: Plan.Step, _ figures: PlanOverview.Figures
    ) -> (verb: String, subject: String, figures: String) {
        let members = count(step.work.planned, "registration") + (figures == .estimated ? " (estimated)" : "")
        switch step.work {
        case .subscribe(let topic, _): return ("+ subscribe", topic.rawValue, members)
        case .unsubscribe(let topic, _): return ("- unsubscribe", topic.rawValue, members)
        case .adopt(let adoption):
            let figure = "\(adoption.members.count.grouped) of \(adoption.all.grouped)"
            return (
                "~ \(adoption.action.rawValue)", adoption.topic.rawValue,
                figure + (figures == .estimated ? " (estimated)" : "")
            )
        case .group(let change):
            let verb =
                switch change.action {
                case .create: "+ make group"
                case .add: "+ add to group"
                case .remove: "- take from group"
                case .delete: "- delete group"
                }
            return (verb, change.group.rawValue, members)
        case .send(let send):
            let isSaid =
                if case .registrations(let listed) = send.target { listed.count == send.recipients } else { false }
            let recipients = figures.words(
                send.recipients, isCounted: send.isCounted, as: count(send.recipients, "recipient"))
            let late = StepReport.words(joinedLate: send.waves?.joinedLate ?? 0) ?? ""
            let refused = send.refused.isEmpty ? "" : "\(send.refused.count.grouped) refused for now, not tried again"
            return (
                "> send", send.occurrence.rawValue,
                (["to \(send.target.words)", isSaid ? "" : recipients, send.wordsOfSkipped, late, refused]
                    + send.delivery.exceptions)
                    .filter { !$0.isEmpty }.joined(separator: ", ")
            )
        }
    }

    /// What is not sent, and why.
    var unsent: [(title: String, sayings: [Saying])] {
        [
            ("Missed", plan.missed.sayings), ("Superseded", plan.superseded.sayings),
            ("Joined too late", plan.joinedLate.sayings), ("Held", plan.held.sayings),
        ]
    }

    /// Listed members of topics who stay out.
    var leftByThemselves: [String] {
        overview.leftByThemselves.sorted { $0.key < $1.key }.map { topic, members in
            let figure = count(members, "member") + (overview.figures == .estimated ? " (estimated)" : "")
            return "\(topic): \(figure) left and \(members == 1 ? "stays" : "stay") out; "
                + "'drift: restore' subscribes \(members == 1 ? "it" : "them") again"
        }
    }

    /// Recipients whose rows do not say by which zone their window opens.
    var zoneLines: [String] {
        overview.zonesDefaulted.sorted { $0.key < $1.key }.map { campaign, number in
            "\(campaign): \(count(number, "recipient")) with no time zone of their own have the default"
        }
    }

    private func section(_ title: String, _ lines: [String]) -> String {
        lines.isEmpty ? "" : "\n\(title):\n" + lines.map { "  \($0)\n" }.joined()
    }
}

extension PlanOverview.Figures {
    /// A number of recipients in words. Empty if no list was read.
    ///
    /// - Parameters:
    ///   - number: how many herald knows.
    ///   - isCounted: whether those are all.
    ///   - isMost: whether caps may leave fewer.
    ///   - text: the number as it is written.
    ///   - unknown: what is written in its place.
    func words(
        _ number: Int, isCounted: Bool, isMost: Bool = false, as text: String,
        unknown: String = "an unknown number of recipients"
    ) -> String {
        switch (self, isCounted) {
        case (.exact, true): isMost && number > 0 ? "at most \(text)" : text
        case (.exact, false): number == 0 || isMost ? unknown : "at least \(text)"
        case (.estimated, true): "at most \(text) (estimated)"
        case (.estimated, false): unknown
        case (.unknown, _): ""
        }
    }
}

extension Campaign.Delivery {
    /// What holds for others and not for this send, in words.
    fileprivate var exceptions: [String] {
        (isAtAnyHour ? ["at any hour"] : [])
            + (frequency.ignoresCaps && !frequency.caps.isEmpty ? ["past frequency caps"] : [])
    }
}

extension Plan.Wave {
    /// `Asia/Tokyo, Asia/Seoul, Australia/Darwin and 2 more`
    var zoneWords: String {
        let rest = zones.count - Self.namedZones
        return zones.prefix(Self.namedZones).joined(separator: ", ") + (rest > 0 ? " and \(rest.grouped) more" : "")
    }
}

extension Plan.Waiting {
    /// Whom it is for and when it goes on.
    func words(_ figures: PlanOverview.Figures) -> String {
        let people = figures.words(
            recipients, isCounted: isCounted, isMost: isCapped, as: count(recipients, "recipient"))
        return "\(people.isEmpty ? "" : "\(people), ")\(reason); it opens at \(until.rfc3339)"
    }

    fileprivate func line(_ figures: PlanOverview.Figures) -> String { "\(occurrence)  \(words(figures))" }
}

extension Saying {
    /// Of what nobody approved.
    var words: String { "\(subject): \(text); 'herald approve PLAN' records an approval" }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
