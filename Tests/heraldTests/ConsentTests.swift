import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Who is left out of a kind of message, through herald's own command lines, with a clock of the test.
struct ConsentTests {
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    private static func list(_ members: some Sequence<Int>) -> String {
        "fid\n" + members.map { "\(Registration.fid($0).rawValue)\n" }.joined()
    }

    private static func campaign(_ name: String, _ rest: String) -> String {
        "kind: campaign\nname: \(name)\ntarget: {audience: members}\nmessage: {notification: {title: \(name)}}\n\(rest)\n"
    }

    private static func files(noPromo: some Sequence<Int>, _ campaigns: String...) -> [String: String] {
        let audience = { (name: String) in "kind: audience\nname: \(name)\nsource: {file: \(name).csv}\n---\n" }
        return [
            "herald.yaml": """
            herald: 2
            project: demo-project
            suppress: [opted-out, {audience: no-promo, tags: [promo]}]
            require_tags: true
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}

            """,
            "members.csv": list(1...200), "opted-out.csv": list([1]), "no-promo.csv": list(noPromo),
            "all.yaml": audience("members") + audience("opted-out") + audience("no-promo")
                + campaigns.joined(separator: "---\n"),
        ]
    }

    private func fids(_ numbers: some Sequence<Int>) -> Set<Registration> { Set(numbers.map { .fid($0) }) }

    @Test func `each kind of message goes to those who want it`() async throws {
        let files = Self.files(
            noPromo: 2...150, Self.campaign("sale", "tags: [shop, promo]"), Self.campaign("news", "tags: [news]"))
        let town = try Town(files, at: Self.monday)
        _ = try await town.herald("state", "init")
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("> send  sale@once  to audience members, 50 recipients"), "\(plan.output)")
        #expect(plan.output.contains("> send  news@once  to audience members, 199 recipients"))
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("sale") == fids(151...200) && town.sent("news") == fids(2...200))
    }

    @Test func `who opts out of a kind gets no more of it, and an emptied list holds it`() async throws {
        let daily = "schedule: {cron: \"7 9 * * *\"}\n"
        let files = Self.files(
            noPromo: 2...150, Self.campaign("sale", "tags: [promo]\n\(daily)"),
            Self.campaign("news", "tags: [news]\n\(daily)"))
        let town = try Town(files, at: Self.monday)
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        town.go(to: Self.monday + 9.2 * 3600)
        _ = try await town.herald("run")
        #expect(town.sent("sale") == fids(151...200))
        // The next export has nobody: everybody would get promotions.
        try town.folder.write(Self.list([]), to: "no-promo.csv")
        town.go(to: Self.monday + 33.2 * 3600)
        let held = try await town.herald("run")
        #expect(held.failure?.status == .refused && held.errors.contains("audience_collapse"), "\(held.errors)")
        #expect(town.sent("sale") == fids(151...200))
        #expect(town.messages().filter { $0["notification"]?["title"] == "news" }.count == 2 * 199)
        try town.folder.write(Self.list(2...190), to: "no-promo.csv")
        _ = try await town.herald("run")
        #expect(town.messages().filter { $0["notification"]?["title"] == "sale" }.count == 50 + 10)
    }
}
