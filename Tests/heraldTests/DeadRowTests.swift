import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// An installation with several rows is written to with the values of a registration that lives.
struct DeadRowTests {
    /// It is listed with a fid, and below that with two tokens of people who had the app before or have it now.
    @Test(arguments: [([], "Hi Cleo"), ([1], "Hi Bob"), ([1, 0], "Hi Ada")] as [([Int], String)])
    func `no message has the values of a dead registration while another one lives`(
        _ dead: [Int], _ title: String
    ) async throws {
        let tokens = [0, 1].map { Registration.token(1, version: $0).rawValue }
        let files = [
            "herald.yaml": """
            herald: 1
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}

            """,
            "members.csv": """
            fid,token,name
            \(Registration.fid(1).rawValue),,Ada
            ,\(tokens[0]),Bob
            ,\(tokens[1]),Cleo

            """,
            "x.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            fields: {name: {}}
            ---
            kind: campaign
            name: hello
            target: {audience: members}
            personal: {fields: [name]}
            message: {notification: {title: "Hi {{ name }}"}}

            """,
        ]
        let town = try Town(files, at: LocalTimeTests.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        for version in dead { #expect(try await town.herald("state", "forget", tokens[version]).failure == nil) }
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.messages().map { $0["notification"]?["title"]?.string } == [title])
    }
}
