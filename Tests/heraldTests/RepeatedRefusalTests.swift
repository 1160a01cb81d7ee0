import FCM
import HeraldTestSupport
import Testing

/// What an apply and a run print where one guard refuses many campaigns.
@Suite struct RepeatedRefusalTests {
    @Test(arguments: ["apply --auto-approve", "run"])
    func `one guard on seven campaigns gives one help`(_ command: String) async throws {
        let campaigns = (1...7).map {
            "---\nkind: campaign\nname: tide-\($0)\ntarget: {audience: all}\nmessage: {notification: {title: Hello, body: Number \($0)}}\n"
        }
        let sandbox = try Sandbox([
            "workspace/herald.yaml": Sandbox.settings + "guards: {max_recipients: 1}\n",
            "workspace/resources.yaml": """
            kind: audience
            name: all
            fids: [\(Registration.fid(1).rawValue), \(Registration.fid(2).rawValue)]

            """ + campaigns.joined(),
        ])
        #expect(try await sandbox.herald("state init").status == 0)
        let result = try await sandbox.herald(command)
        #expect(result.status == 3)
        #expect(result.errors.ranges(of: "help: correct the target").count == 1, "\(result.errors)")
        #expect(result.errors.ranges(of: "would reach 2 recipients").count == 7, "\(result.errors)")
    }
}
