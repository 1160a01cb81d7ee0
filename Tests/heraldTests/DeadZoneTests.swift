import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// An installation with several rows goes by the zone of a registration that lives.
struct DeadZoneTests {
    /// It is listed with a fid in Rome, and below that with two tokens in Tokyo and in New York. On Tuesday 9:07 is 0:07 UTC
    /// in Tokyo, 8:07 in Rome and 14:07 in New York.
    @Test(arguments: [([], 39), ([1], 25), ([1, 0], 33)] as [([Int], Int)])
    func `a row counts for nothing while its registration is dead and another one lives`(
        _ dead: [Int], _ expected: Int
    ) async throws {
        let tokens = [0, 1].map { Registration.token(1, version: $0).rawValue }
        var files = LocalTimeTests.files(LocalTimeTests.daily)
        files["members.csv"] = """
            fid,token,zone
            \(Registration.fid(1).rawValue),,Europe/Rome
            ,\(tokens[0]),Asia/Tokyo
            ,\(tokens[1]),America/New_York

            """
        let town = try Town(files, at: LocalTimeTests.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        for version in dead { #expect(try await town.herald("state", "forget", tokens[version]).failure == nil) }
        var hours: [Int] = []
        for hour in [0, 25, 33, 39] {
            town.go(to: LocalTimeTests.monday + Double(hour) * 3600)
            let before = town.messages().count
            let run = try await town.herald("run")
            #expect(run.failure == nil, "\(run.errors)")
            hours += town.messages().dropFirst(before).map { _ in hour }
        }
        #expect(hours == [expected])
    }
}
