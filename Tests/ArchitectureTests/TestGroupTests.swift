import Foundation
import Testing

/// `Scripts/test.sh` runs two kinds of tests at the same time. Which tests are of which is told by their names there.
@Suite struct TestGroupTests {
    /// What a test that talks to a server or runs herald cannot do without.
    private static let signs: Set<String> = [
        "HeraldProcess", "NIOPosix", "PlainServer", "PostgresTestServer", "RawConnection", "SecureServer",
        "withEmulator",
        "withSecureConnection",
    ]

    @Test func `tests with a server or a program of their own run one after the other`() throws {
        let serial = try Regex(Self.serialTests())
        var found: [String] = []
        for target in try SourceFolder.inside("Tests") {
            for file in try SourceFolder("Tests/\(target)", module: target).files
            where !file.named.union(file.imported).isDisjoint(with: Self.signs) {
                for suite in file.declared.sorted() where suite.hasSuffix("Tests") {
                    found.append(suite)
                    #expect(
                        "\(target).\(suite)/".contains(serial),
                        "\(file.name): Scripts/test.sh gives it what time is left")
                }
            }
        }
        // Enough to know that the signs are still those.
        #expect(Set(found).isSuperset(of: ["RunTests", "ServerTests"]))
    }

    @Test func `tests that only compute get what time is left`() throws {
        let serial = try Regex(Self.serialTests())
        for suite in ["HeraldCoreTests.PlannerSendTests/", "FCMEmulatorTests.SendTests/", "FCMTests.VerdictTests/"] {
            #expect(!suite.contains(serial))
        }
    }

    /// The pattern in the script's line `serial='…'`.
    private static func serialTests() throws -> String {
        let script = try SourceFolder.text(of: "Scripts/test.sh")
        let line = try #require(script.split(separator: "\n").first { $0.hasPrefix("serial='") })
        return String(line.dropFirst("serial='".count).dropLast())
    }
}
