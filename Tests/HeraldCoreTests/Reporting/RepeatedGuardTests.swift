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

    @Test func `the comment stays short, however many a guard refuses`() {
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = 2
        for number in 0..<500 { scenario.want(.tide("tide-\(number)")) }
        let text = documents(scenario)[1]
        #expect(text.contains("would reach 3 recipients"))
        #expect(text.contains("and 480 more"))
    }
}
