internal import FCM

/// The plan as a page.
extension PlanDocument {
    package var html: String {
        Page.plan.rendered([
            "title": .string("herald plan: \(headline)"), "headline": .string(headline),
            "conclusion": .string(conclusion), "facts": .facts(facts), "notices": .array(notices),
            "changes": comparison.map(Self.values) ?? .null,
            "looks": .section("campaigns", shownCampaigns.map(look)),
            "steps": .section("rows", plan.steps.map { Self.row($0, overview.figures) }),
            "waves": .section("charts", sendCharts.compactMap(\.json)),
            "personal": .section("campaigns", overview.personal.map(Self.values)),
            "coming": coming,
            "lists": .array(
                lists.filter { !$0.entries.isEmpty }.map { heading, entries in
                    [
                        "heading": .string(heading),
                        "entries": .array(entries.map { ["name": .string($0.subject), "text": .string($0.text)] }),
                    ]
                }),
            "version": .null,
        ])
    }

    /// What is told entry by entry, under its headings.
    private var lists: [(heading: String, entries: [Saying])] {
        var lists: [(heading: String, entries: [Saying])] = []
        let waiting = plan.waiting.map { Saying($0.occurrence.rawValue, $0.words(overview.figures)) }
        lists.append(("Waiting", waiting + zoneLines.map { Saying($0) }))
        lists += unsent.map { (heading: $0.title, entries: $0.sayings) }
        lists.append(("Left by themselves", leftByThemselves.map { Saying($0) }))
        lists.append(("Left out by 'where'", overview.leftOut.map { Saying($0.words) }))
        lists.append(("Guards that this plan cannot judge", overview.unjudged.lines.map { Saying($0) }))
        return lists
    }

    private var facts: [(String, String)] {
        var facts = [("planned for", plan.at.rfc3339), ("expires", expires.rfc3339)]
        if let state = plan.state, overview.snapshot == nil { facts.append(("state", "serial \(state.serial)")) }
        if let snapshot = overview.snapshot { facts.append(("snapshot of", snapshot.rfc3339)) }
        if let comparison { facts.append(("compared with", comparison.base)) }
        if let approval { facts.append(("approval", approval.digest)) }
        if let unlimited { facts.append(("sizes", unlimited)) }
        if !campaigns.isEmpty { facts.append(("only", campaigns.joined(separator: ", "))) }
        return facts
    }

    /// What a person should read before everything else.
    private var notices: [JSONValue] {
        let guards = plan.refusals.byGuard.map {
            Self.notice($0.kind.rawValue, $0.messages, "What to do: \($0.help)", tone: "bad")
        }
        let unapproved = self.unapproved.sayings.map { Self.notice(nil, [$0.words], nil, tone: "bad") }
        let warnings = overview.warnings.mergedWarnings.map { Self.notice(nil, [$0], nil, tone: "") }
        return [
            ("Guards that need an override", guards), ("Not approved, and so left out", unapproved),
            ("Warnings", warnings),
            ("Warnings about the files", fileWarnings?.lines.map { Self.notice(nil, [$0], nil, tone: "") } ?? []),
        ].filter { !$0.1.isEmpty }.map { ["heading": .string($0.0), "entries": .array($0.1)] }
    }

    private static func notice(_ name: String?, _ texts: [String], _ remedy: String?, tone: String) -> JSONValue {
        [
            "name": name.map { .string($0) } ?? .null, "text": .string(texts.first ?? ""), "tone": .string(tone),
            "more": .array(texts.dropFirst().map { .string($0) }),
            "remedy": remedy.map { .string($0) } ?? .null,
        ]
    }

    private static func values(_ comparison: Comparison) -> JSONValue {
        let entries: [JSONValue] = comparison.changes.map { change in
            ["heading": .string(change.title), "lines": .array(change.lines.map { .string($0) })]
        }
        return [
            "entries": .array(entries), "isNothing": .bool(entries.isEmpty),
            "warnings": .array(comparison.warnings.map { .string($0) }),
        ]
    }

    private static func values(_ personal: PersonalOverview) -> JSONValue {
        [
            "name": .string(personal.campaign), "figures": .string(personal.figures),
            "longest": .array(personal.longestLines.map { .string($0) }),
            "mistakes": .array(personal.mistakes.map { .string($0) }),
        ]
    }

    private func look(_ campaign: Campaign) -> JSONValue {
        let texts: [JSONValue] = campaign.looks(texts[campaign.name.value]).map { look in
            let mocks = look.mocks
            return [
                "words": look.words.map { .string($0) } ?? .null, "silent": .bool(mocks.isEmpty),
                "mocks": .array(mocks.map(\.values)),
            ]
        }
        return ["name": .string(campaign.name.value), "texts": .array(texts)]
    }

    private static func row(_ step: Plan.Step, _ figures: PlanOverview.Figures) -> JSONValue {
        let line = line(step, figures)
        let tone =
            switch line.verb.first {
            case "+": "good"
            case "-": "bad"
            default: ""
            }
        return [
            "verb": .string(line.verb), "subject": .string(line.subject), "figures": .string(line.figures),
            "reason": .string(step.reason), "tone": .string(tone),
        ]
    }

    /// How many sends to come a page lists.
    private static let listedComing = 500

    private var coming: JSONValue {
        let later = overview.later(besides: plan)
        guard let next = later.first else { return .null }
        // Nobody reads ten thousand, and a page of them is too large for a browser.
        let shown = later.prefix(Self.listedComing)
        let entries = shown.map { CalendarEntry($0, in: overview) }
        let grid = WeekGrid(entries, today: next.occurring.zone.local(at: plan.at))
        let omitted = overview.upcomingOmitted + later.count - shown.count
        return [
            "weeks": .array(grid.values),
            "rest": omitted > 0 ? .string("and \(omitted.grouped) more; 'herald calendar' lists them") : .null,
        ]
    }
}
