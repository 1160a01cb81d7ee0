import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What one guard refuses many times is said once.
struct RepeatedGuardTests {
    private static let names = ["one", "two", "three", "four", "five", "six", "seven"].map { "tide-\($0)" }

    private func documents(_ scenario: PlanScenario) -> [String] {
        let document = PlanDocument(scenario.proposal(), id: "id", created: PlanScenario.now)
        // Markdown writes what people copy as code.
        let markdown = document.markdown.replacing("`", with: "")
        return [document.text(.plain), markdown, document.html, document.refusalLines.joined(separator: "\n")]
    }

    @Test func `seven sends on a fresh state are one sentence with seven names`() {
        var scenario = PlanScenario()
        scenario.state = RecordedState(identity: .sample(.fcm))
        for name in Self.names { scenario.want(.tide(name)) }
        for text in documents(scenario) {
            // Markdown escapes the underscore, and HTML the quotes.
            #expect(text.ranges(of: "if there is an older state").count == 1)
            #expect(text.ranges(of: "the state has no sends").count == 1)
            #expect(text.contains(Self.names.sorted().joined(separator: ", ")))
        }
    }

    @Test func `seven sends to too many have a sentence each, and one help`() {
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = 2
        for name in Self.names { scenario.want(.tide(name)) }
        for text in documents(scenario) {
            #expect(text.ranges(of: "correct the target").count == 1)
            #expect(text.ranges(of: "would reach 3 recipients").count == 7)
            #expect(text.ranges(of: "herald apply --override max").count == 1)
        }
        let json = PlanDocument(scenario.proposal(), id: "id", created: PlanScenario.now).json
        #expect(json["guards"]?.array?.count == 7, "a program gets each")
    }

    @Test func `a single refusal names its own override`() {
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = 2
        scenario.want(.tide())
        #expect(documents(scenario)[0].contains("herald apply --override max_recipients=tide\n"))
    }

    @Test func `two occurrences of one campaign are refused by its name, in the same words once`() {
        let refusal = { (actual: Int) in
            GuardRefusal(
                kind: .maxRecipients, name: "tide", limit: 4, actual: actual,
                message: "campaign 'tide' would reach \(actual) recipients; the limit is 4")
        }
        let mark = Plan.StateMark(lineage: "l", serial: 1)
        var plan = Plan(at: PlanScenario.now, workspaceDigest: "", state: mark)
        for (actual, sentences) in [(6, 1), (7, 2)] {
            plan.refusals = [refusal(6), refusal(actual)]
            let needs = Need.all(in: Proposal(plan), [], lastRun: nil, every: .seconds(300), atWork: .nobody)
            #expect(needs.map(\.command) == ["herald apply --override max_recipients=tide"])
            #expect(needs.map(\.name) == ["tide"] && needs.map(\.subjects) == [["tide"]])
            #expect(needs.first?.sentence.ranges(of: "campaign 'tide' would reach").count == sentences)
            let texts = documents { $0.plan.refusals = plan.refusals }
            #expect(texts[0].contains("herald apply --override max_recipients=tide\n"), "\(texts[0])")
        }
    }

    @Test func `the comment stays short, however many a guard refuses`() {
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = 2
        for number in 0..<500 { scenario.want(.tide("tide-\(number)")) }
        let text = documents(scenario)[1]
        #expect(text.contains("would reach 3 recipients"))
        #expect(text.contains("and 480 more"))
    }

    private func documents(_ change: (inout Proposal) -> Void) -> [String] {
        var proposal = Proposal(Plan(at: PlanScenario.now, workspaceDigest: "", state: nil))
        change(&proposal)
        let document = PlanDocument(proposal, id: "id", created: PlanScenario.now)
        // Markdown writes what people copy as code.
        return [document.text(.plain), document.markdown.replacing("`", with: ""), document.html]
    }

    @Test func `seven sends held for one reason are one line with seven names and one command`() {
        let texts = documents { proposal in
            proposal.plan.held = Self.names.map { name in
                Plan.Held(
                    occurrence: OccurrenceID(rawValue: "\(name)@once"), reason: "1,042 may or may not have got it",
                    resolve: "herald state resolve \(name)@once --accept, --resend or --abandon", remaining: 0)
            }
        }
        for text in texts {
            #expect(text.ranges(of: "may or may not have got it").count == 1)
            #expect(text.contains("herald state resolve OCCURRENCE --accept"))
            #expect(text.contains(Self.names.map { "\($0)@once" }.joined(separator: ", ")))
        }
    }

    @Test func `one that is held alone names its own command`() {
        let texts = documents { proposal in
            proposal.plan.held = [("one", 1), ("two", 2)].map { name, number in
                Plan.Held(
                    occurrence: OccurrenceID(rawValue: "\(name)@once"), reason: "\(number) may or may not have got it",
                    resolve: "herald state resolve \(name)@once --accept", remaining: 0)
            }
        }
        for text in texts {
            #expect(text.contains("herald state resolve one@once") && text.contains("herald state resolve two@once"))
        }
    }

    @Test func `seven that were missed are one line, and so are seven that nobody approved`() {
        let texts = documents { proposal in
            proposal.plan.missed = Self.names.map {
                Plan.Missed(
                    occurrence: OccurrenceID(rawValue: "\($0)@once"), due: PlanScenario.now, reason: "it is too old")
            }
            proposal.plan.unapproved = Self.names.map {
                Plan.Unapproved(resource: .init(kind: .campaign, name: $0), reason: "nobody approved it")
            }
        }
        for text in texts {
            #expect(text.ranges(of: "it is too old").count == 1)
            #expect(text.ranges(of: "nobody approved it").count == 1)
            #expect(text.ranges(of: "herald approve PLAN").count == 1)
        }
    }

    @Test func `warnings that differ by their names alone are one with the other names`() {
        let texts = documents { proposal in
            proposal.overview.warnings =
                Self.names.map { "campaign '\($0)' was changed after \($0)@2026-12-01T08:00:00Z was sent" }
                + ["one@once leaves out 5 recipients", "two@once leaves out 6 recipients"]
        }
        let others = Self.names.dropFirst().map { "'\($0)'" }.joined(separator: ", ")
        for text in texts {
            #expect(text.ranges(of: "was changed after").count == 1)
            #expect(text.replacing("&#39;", with: "'").contains("was sent; the same for \(others)"))
            // Figures of their own are told one by one.
            #expect(text.contains("5 recipients") && text.contains("6 recipients"))
        }
    }

    @Test func `a campaign that comes often is one line`() throws {
        var campaign = Campaign.tide("daily")
        campaign.schedule = try .cron("0 9 * * *", in: "Europe/Rome")
        let start = try Date.at("2026-12-01T10:00:00Z")
        let texts = documents { proposal in
            proposal.overview.upcoming = Occurring.coming(
                of: campaign, after: start, through: start.adding(.seconds(7 * 86_400)), limit: 100
            ).map { .init(occurring: $0, target: .topic("tides"), recipients: 1) }
        }
        for text in texts.prefix(2) {
            #expect(text.ranges(of: "daily").count == 1)
            #expect(text.contains("6 more sends until Tue 2026-12-08 09:00"))
        }
    }
}
