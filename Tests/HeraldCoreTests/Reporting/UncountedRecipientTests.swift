import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Nobody knows how many follow a topic that the app subscribes its users to.
struct UncountedRecipientTests {
    private func document(_ targets: [Campaign.Target], at due: Date? = nil, listed: Int = 0) throws -> PlanDocument {
        var workspace = Workspace(audiences: [
            Audience(name: .init("all"), source: .inline((1...5).map { .fid($0) }))
        ])
        workspace.topics = [
            Topic(name: .init("of-app"), subscribers: [], prune: false),
            Topic(name: .init("of-files"), subscribers: [.init("all")]),
        ]
        workspace.campaigns = targets.enumerated().map { .tide("c\($0.offset)", to: $0.element, at: due) }
        var scenario = PlanScenario()
        scenario.desired = try Resolved(workspace, next: 10).desired
        scenario.state.topics["of-app"] = .init(found: RecipientSet((1...9).prefix(listed)))
        return PlanDocument(scenario.proposal(), id: "id", created: PlanScenario.now)
    }

    @Test func `a send to it is not a send to 0 recipients`() throws {
        let condition = try Condition(parsing: "'of-app' in topics || 'of-files' in topics")
        for (target, text) in [
            (Campaign.Target.topic("of-app"), "an unknown number of recipients"),
            (.condition(condition), "at least 5 recipients"), (.topic("of-files"), "5 recipients"),
        ] {
            let document = try document([target])
            let shown = document.text(.plain)
            #expect(shown.contains(", \(text)") && shown.contains("1 send to \(text)."), "\(shown)")
            #expect(document.markdown.contains("1 campaign to \(text)"))
            #expect(document.html.contains("1 campaign to \(text)"))
            for form in [shown, document.markdown, document.html] { #expect(!form.contains(" 0 recipients")) }
        }
    }

    @Test func `devices that follow no topic are known to nobody`() throws {
        let document = try document([.condition(try Condition(parsing: "!('of-files' in topics)"))], at: .after(3600))
        #expect(document.headline.hasPrefix("1 campaign to an unknown number of recipients"))
        #expect(document.json["upcoming"]?.array?.first?["recipients"] == .null)
    }

    @Test func `those whom herald knows there are the least`() throws {
        #expect(try document([.topic("of-app")], listed: 3).text(.plain).contains("at least 3 recipients"))
    }

    @Test func `beside others the sum is the least, and the figures say how many sends are not counted`() throws {
        let document = try document([.topic("of-app"), .topic("of-files")])
        #expect(document.conclusion.contains("2 sends to at least 5 recipients"))
        #expect(document.json["summary"]?["recipients"]?.int == 5)
        #expect(document.json["summary"]?["uncounted"]?.int == 1)
        let counted = try self.document([.topic("of-files")])
        #expect(counted.json["summary"]?["uncounted"] == nil)
    }

    @Test func `what is coming is not 0 recipients either`() throws {
        let document = try document([.topic("of-app")], at: .after(3600))
        #expect(document.headline.hasPrefix("1 campaign to an unknown number of recipients"))
        #expect(document.markdown.contains("| unknown |"))
        #expect(document.html.contains("an unknown number of recipients"))
        #expect(document.json["upcoming"]?.array?.first?["recipients"] == .null)
    }

    @Test func `nobody approves a size of 0`() throws {
        var workspace = Workspace(audiences: [])
        workspace.topics = [Topic(name: .init("of-app"), subscribers: [], prune: false)]
        workspace.campaigns = [.tide(to: .topic("of-app"))]
        #expect(try Resolved(workspace).desired.sizes.isEmpty)
    }

    @Test(
        arguments: [
            (["of-app"], ""), (["of-app", "of-files"], ""), (["of-files"], "5"),
        ] as [([TopicName], String)])
    func `a workflow is told a number only if it is all`(_ topics: [TopicName], _ recipients: String) throws {
        let outputs = try document(topics.map { .topic($0) }).outputs
        #expect(outputs.first { $0.name == "recipients" }?.value == recipients)
    }

    @Test func `an approval does not limit it, although the lists were read`() throws {
        var document = try document([.topic("of-app"), .topic("of-files")])
        document.declared = [.tide("c0", to: .topic("of-app")), .tide("c1", to: .topic("of-files"))]
        document.approval = Approval([], suppress: [])
        document.approval?.sizes = [.init(kind: .campaign, name: "c1"): 5]
        let words = "The size of 1 campaign is not known, so an approval does not limit it: only guards do."
        #expect(document.markdown.contains(words) && !document.markdown.contains("were not read"))
        #expect(document.html.contains(words))
        document.approval?.sizes[.init(kind: .campaign, name: "c0")] = 9
        #expect(!document.markdown.contains("only guards do") && !document.html.contains("only guards do"))
    }
}
