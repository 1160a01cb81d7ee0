import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct ReferencesTests {
    /// Every campaign refers to a name, and a workspace may have thousands of campaigns.
    @Test func `the time grows no faster than the number of campaigns`() throws {
        let topic = try #require(TopicName(rawValue: "tides"))
        var workspace = Workspace(settings: Settings(project: "tide-app"), audiences: [], topics: [], campaigns: [])
        for number in 0..<8000 {
            let place = SourceRange(file: "campaign-\(number).yaml")
            workspace.campaigns.append(
                Campaign(
                    name: Located("campaign-\(number)", at: place), target: Located(.topic(topic), at: place),
                    message: Located([:], at: place)))
        }
        var declared = Set(workspace.campaigns.map { References.Name("campaign", $0.name.value) })
        declared.insert(References.Name("topic", topic.rawValue))
        let spent = computingTime { #expect(References(workspace, declared: declared).check().isEmpty) }
        #expect(spent < .seconds(3))
    }
}
