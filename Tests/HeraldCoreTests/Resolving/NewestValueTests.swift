import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Which row gives the values, where an installation has several rows.
struct NewestValueTests {
    private static let members = """
        kind: audience
        name: members
        source: {file: l.csv, columns: {seen: seen}}
        fields: {name: {}}

        """
    private static let gold = "---\nkind: audience\nname: gold\nfrom: members\nwhere: {tier: gold}\n"
    private static let toGold = "target: {audience: gold}"

    /// The values of every recipient of a campaign, by the number of the fid.
    private func names(
        _ rows: [String], _ audiences: String = members, to target: String, _ others: [String: String] = [:]
    ) throws -> [Int: String?] {
        let campaign = """
            ---
            kind: campaign
            name: c
            \(target)
            personal: {fields: [name]}
            message: {data: {text: "{{ name | default: 'you' }}"}}

            """
        let files = [
            "herald.yaml": settingsText + "sender_id: '7'\n", "a.yaml": audiences + campaign, "l.csv": list(rows),
        ]
        let loaded = try WorkspaceLoader.load(files: files.merging(others) { _, given in given })
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.shown)")
        let recipients = ListedRecipients(try #require(try loaded.recipientIndex?.get()))
        let workspace = try #require(loaded.workspace)
        let sends = try Resolver.desired(of: workspace, recipients).sends
        let send = try #require(sends.first)
        let values = try #require(try send.rows?.values(of: send.members))
        #expect(values.count == send.members.count)
        #expect(send.census?.classes.values.reduce(0) { $0 + $1.count } == send.members.count)
        var names: [Int: String?] = [:]
        for number in 1...5 {
            let key = Registration.fid(number).recipientKey
            if let row = try recipients.numbers(of: [key])[key].flatMap({ values[$0] }) { names[number] = row.texts[0] }
        }
        return names
    }

    /// Each row is the number of a fid, a name, a tier and the day on which it was seen.
    private func list(_ rows: [String]) -> String {
        "fid,name,tier,seen\n"
            + rows.map { row in
                let parts = row.split(separator: " ", omittingEmptySubsequences: false)
                let seen = parts[3].isEmpty ? "" : "2026-11-0\(parts[3])T10:00:00Z"
                return "\(Registration.fid(Int(parts[0]) ?? 0).rawValue),\(parts[1]),\(parts[2]),\(seen)\n"
            }.joined()
    }

    private static let tiers = ["1 Old gold 2", "1 New silver 4", "1 Older gold 1", "2 Bo gold 2", "3 Cy silver 2"]

    @Test func `a newer row that a filter rejects does not give the values`() throws {
        #expect(try names(Self.tiers, Self.members + Self.gold, to: Self.toGold) == [1: "Old", 2: "Bo"])
        let itself = Self.members + "where: {tier: gold}\n"
        #expect(try names(Self.tiers, itself, to: "target: {audience: members}") == [1: "Old", 2: "Bo"])
    }

    @Test(arguments: ["tier: {not: silver}", "tier: gold, seen: {before: 1m}"])
    func `where an audience compares, the row that counts decides and gives the values`(_ filter: String) throws {
        let audiences = Self.members + Self.gold.replacing("tier: gold", with: filter)
        #expect(try names(Self.tiers, audiences, to: Self.toGold) == [2: "Bo"])
        let rows = ["1 Old silver 2", "1 New gold 4", "2 Bo gold 2", "2 Late gold 2", "3 Cy silver 2"]
        #expect(try names(rows, audiences, to: Self.toGold) == [1: "New", 2: "Late"])
        #expect(try names(rows, audiences, to: "target: {audience: members}") == [1: "New", 2: "Late", 3: "Cy"])
    }

    @Test func `without the filter the newest row gives them`() throws {
        let all = try names(Self.tiers, Self.members + Self.gold, to: "target: {audience: members}")
        #expect(all == [1: "New", 2: "Bo", 3: "Cy"])
    }

    @Test func `a longer chain filters more`() throws {
        let chain = Self.gold + "---\nkind: audience\nname: last\nfrom: gold\nwhere: {name: Older}\n"
        #expect(try names(Self.tiers, Self.members + chain, to: "target: {audience: last}") == [1: "Older"])
    }

    @Test func `who is excluded has no values, and the others keep theirs`() throws {
        let target = "target: {audience: members}\nexclude: [gold]"
        #expect(try names(Self.tiers, Self.members + Self.gold, to: target) == [3: "Cy"])
        let without = "---\nkind: audience\nname: rest\nfrom: members\nexclude: [gold]\n"
        #expect(
            try names(Self.tiers, Self.members + Self.gold + without, to: "target: {audience: rest}") == [3: "Cy"])
    }

    @Test func `members of a group that are sent to one by one have their own values`() throws {
        let group = "---\nkind: group\nname: g\nmembers: {audience: gold}\n"
        let target = "target: {group: g}\ndelivery: {members: each}"
        #expect(try names(Self.tiers, Self.members + Self.gold + group, to: target) == [1: "Old", 2: "Bo"])
    }

    @Test(arguments: [("members", "Here"), ("others", "There")])
    func `another audience's list gives no values, however new its row is`(_ target: String, _ name: String) throws {
        let others = Self.members.replacing("members", with: "others").replacing("l.csv", with: "m.csv")
        let found = try names(
            ["1 Here gold 1"], Self.members + "---\n" + others, to: "target: {audience: \(target)}",
            ["m.csv": list(["1 There gold 5"])])
        #expect(found == [1: name])
    }

    @Test(arguments: ["3", ""])
    func `of rows that are as old the last one gives them`(_ seen: String) throws {
        let rows = ["1 One gold \(seen)", "1 Two gold \(seen)", "2 Bo gold \(seen)", "1 Three silver \(seen)"]
        #expect(
            try names(rows, Self.members + Self.gold, to: "target: {audience: members}") == [1: "Three", 2: "Bo"])
        #expect(try names(rows, Self.members + Self.gold, to: Self.toGold) == [1: "Two", 2: "Bo"])
    }

    @Test func `a row without a time is older than any with one`() throws {
        #expect(
            try names(["1 Dated gold 1", "1 Undated gold "], to: "target: {audience: members}") == [1: "Dated"])
    }

    /// Who was told that a send's rows cannot be had must not find some of them later in the same run.
    @Test func `want of room for the values stays, also when there is room later`() throws {
        let rows = (1...1200).map { "\(Registration.fid($0).rawValue),\(String(repeating: "x", count: 8000))\n" }
        let audience = "kind: audience\nname: all\nsource: {file: l.csv}\nfields: {name: {}}\n---\n"
        let campaign = """
            kind: campaign
            name: c
            target: {audience: all}
            personal: {fields: [name]}
            message: {data: {text: "{{ name }}"}}

            """
        let loaded = try WorkspaceLoader.load(files: [
            "herald.yaml": settingsText, "a.yaml": audience + campaign, "l.csv": "fid,name\n" + rows.joined(),
        ])
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.shown)")
        let (workspace, read) = (try #require(loaded.workspace), try #require(try loaded.recipientIndex?.get()))
        let folder = try TemporaryFolder()
        let gone = "\(folder.path)/gone"
        // Its lists are read and sorted; only the values need more room than there is in memory.
        let index = RecipientIndex(
            entries: read.entries, membershipClasses: read.membershipClasses, valued: read.valued,
            temporaryFolder: gone)
        func values() throws -> PersonalRows {
            let sends = try Resolver.desired(of: workspace, ListedRecipients(index)).sends
            return try #require(sends.first?.rows)
        }
        let wanting = try values()
        let error = try #require(throws: RecipientIndexError.self) { try wanting.prepare() }
        guard case .noRoom(gone, _) = error else {
            Issue.record(error)
            return
        }
        try FileManager.default.createDirectory(atPath: gone, withIntermediateDirectories: false)
        #expect(throws: error) { try wanting.prepare() }
        #expect(throws: error) { try wanting.values(of: [KnownRecipient.firstID]) }
        #expect(try values().values(of: RecipientSet(1...1200)).count == 1200)
    }
}
