import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Groups that no file declares any more, after FCM has ended them.
struct EndedGroupTests {
    @Test(arguments: [(EndpointKind.fcm, 0), (.emulator, 1)])
    func `after the end the state forgets what is to be deleted, and FCM is not asked`(
        _ endpoint: EndpointKind, _ requests: Int
    ) async throws {
        var laboratory = Laboratory(start: EndOfService.begin)
        laboratory.endpoint = endpoint
        try laboratory.memory.commit([
            .groupKey("chris", NotificationKey(rawValue: "APA91bKey")), .groupMembers("chris", [1, 2], .member),
        ])
        let sender = ScriptedSender()
        let report = try await laboratory.run(laboratory.plan(groups: []), sender)
        #expect(report.steps.map(\.accepted) == [2])
        #expect(report.steps.map(\.note) == [endpoint == .fcm ? "device groups ended on 2027-09-29" : nil])
        #expect(report.result == .ok)
        #expect(sender.requests.count == requests)
        #expect(laboratory.memory.state().groups.isEmpty)
        #expect(laboratory.plan(groups: []).steps.isEmpty)
    }
}
