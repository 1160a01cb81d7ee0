import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Compares audiences whose `where` compares with a model that was written from docs/reference/audience.md.
struct ComparisonModelTests {
    @Test func `audiences take whom the row that counts lets in, over random rows and filters`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        var rows = 0
        var (taken, leftOut) = (0, 0)
        // At least 10,000 rows, and more where a seed makes filters that take nobody or everybody.
        while rows < 10_000 || (min(taken, leftOut) <= 1000 && rows < 100_000) {
            let world = ComparedWorld(&random)
            rows += world.lists.reduce(0) { $0 + $1.rows.count }
            let loaded = try WorkspaceLoader.load(files: world.files, at: ComparedWorld.now)
            try #require(loaded.found == [], "seed \(seed): \(loaded.shown)")
            let (workspace, index) = (try #require(loaded.workspace), try #require(loaded.recipientIndex).get())
            let recipients = ListedRecipients(index)
            let desired = try Resolver.desired(of: workspace, recipients)
            var keys: [RecipientID: RecipientKey] = [:]
            var pass = try recipients.pass()
            while let recipient = try pass.next() { keys[recipient.id] = try #require(pass.registration).recipientKey }
            for audience in world.audiences {
                let send = try #require(desired.sends.first { $0.campaign.name.value == "to-\(audience.name)" })
                let found = Set(send.members.compactMap { keys[$0] })
                let expected = world.recipients(of: audience)
                #expect(found == expected, "seed \(seed), \(audience.name): \(world.files)")
                taken += found.count
            }
            #expect(
                desired.leftOut.reduce(into: [:]) {
                    $0[[$1.audience, $1.filter, "\($1.isOfOtherType)"]] = $1.recipients
                }
                    == world.leftOut, "seed \(seed): \(world.files)")
            leftOut += desired.leftOut.reduce(0) { $0 + $1.recipients }
        }
        #expect(taken > 1000 && leftOut > 1000, "seed \(seed)")
    }

    /// The longest whole number is beyond 64 bits, and floating-point numbers hold few of them exactly.
    @Test(arguments: [
        "0", "-0", "7", "1.0", "12.5", "12.50", "-3.25", "0.99999999999999999999", "1e2", "1E+2", "123456789012345678",
        "1234567890123456789", "18446744073709551615", "-9223372036854775809", "123456789012345678901.10",
    ])
    func `a number is the same in every form of list`(_ number: String) throws {
        let fid = Registration.fid(1).rawValue
        let lists = [
            "csv.csv": "fid,n\n\(fid),\(number)\n", "text.ndjson": #"{"fid":"\#(fid)","n":"\#(number)"}"#,
            "flat.ndjson": #"{"fid":"\#(fid)","n":\#(number)}"#,
            "nested.ndjson": #"{"fid":"\#(fid)","x":[{}],"n":\#(number) }"#,
        ]
        let filters = [
            "[\"\(number)\"]", "{not: [\"\(number)\"]}", "{at_least: 1}", "{below: 12.50}",
            "{at_least: 18446744073709551615}",
        ]
        let audiences = lists.keys.flatMap { list in
            filters.enumerated().map { place, filter in
                "kind: audience\nname: \(list)-\(place)\nsource: {file: \(list)}\nwhere: {n: \(filter)}\n"
            }
        }
        let loaded = try WorkspaceLoader.load(
            files: lists.merging(["x.yaml": audiences.joined(separator: "---\n")]) { one, _ in one })
        try #require(loaded.found == [], "\(loaded.shown)")
        let desired = try Resolver.desired(
            of: try #require(loaded.workspace), ListedRecipients(try #require(loaded.recipientIndex).get()))
        let taken = { (list: String) in filters.indices.map { desired.audienceSizes["\(list)-\($0)"] ?? 0 } }
        #expect(taken("csv.csv").prefix(2) == [1, 0])
        for list in lists.keys { #expect(taken(list) == taken("csv.csv"), "\(list)") }
    }

    @Test(arguments: [("within", true), ("before", false)])
    func `the row that counts lets all registrations of its list in, or none`(_ test: String, _ isIn: Bool) throws {
        let rows = zip(["2026-12-01", "2027-01-10", "2026-11-01"], 0...2).map { day, version in
            "\(Registration.token(1, version: version).rawValue),\(day)T00:00:00Z\n"
        }
        let loaded = try WorkspaceLoader.load(
            files: [
                "l.csv": "token,last\n" + rows.joined(),
                "x.yaml": "kind: audience\nname: a\nsource: {file: l.csv, columns: {seen: last}}\n"
                    + "where: {seen: {\(test): 10d}}\n",
            ], at: try #require(Date(rfc3339: "2027-01-15T00:00:00Z")))
        var pass = try ListedRecipients(try #require(loaded.recipientIndex).get()).pass(keepingOthers: true)
        let recipient = try pass.next()
        #expect((recipient != nil) == isIn)
        guard isIn else { return }
        #expect(pass.registration == .token(1, version: 1))
        #expect(pass.others == [.token(1, version: 0), .token(1, version: 2)])
        #expect(try pass.next() == nil)
    }
}

extension ComparedWorld {
    /// Those whom the campaign to an audience reaches.
    func recipients(of audience: Part) -> Set<RecipientKey> {
        let place = audiences.firstIndex { $0.name == audience.name }
        let members = members(of: audience)
        guard let suppressed, suppressed != place else { return members }
        return members.subtracting(self.members(of: audiences[suppressed]))
    }

    fileprivate func members(of audience: Part) -> Set<RecipientKey> {
        let way = way(to: audience)
        let conditions = way.flatMap(\.conditions)
        let list = lists[audience.list]
        let all = conditions.contains(where: \.compares) ? Array(counting(in: list).values) : list.rows
        let passing = all.filter { row in conditions.allSatisfy { verdict(of: $0, on: row, list) == .passes } }
        let out = way.flatMap(\.exclude).reduce(into: Set<RecipientKey>()) { $0.formUnion(members(of: audiences[$1])) }
        return Set(passing.map(\.registration.recipientKey)).subtracting(out)
    }

    /// The audience and those that it is made from.
    private func way(to audience: Part) -> [Part] {
        [audience] + (audience.parent.map { way(to: audiences[$0]) } ?? [])
    }

    /// The row of each installation that was seen last, or else is the last one.
    private func counting(in list: List) -> [RecipientKey: Row] {
        var counting: [RecipientKey: Row] = [:]
        for row in list.rows {
            let key = row.registration.recipientKey
            let (seen, before) = list.namesSeen ? (row.seen ?? -1, counting[key]?.seen ?? -1) : (0, 0)
            if counting[key] == nil || seen >= before { counting[key] = row }
        }
        return counting
    }

    private enum Verdict { case passes, fails, otherType }

    private func verdict(of condition: Condition, on row: Row, _ list: List) -> Verdict {
        let field = list.fields[condition.key]
        let cell =
            condition.key == "seen"
            ? row.seen.map { Cell.time($0) } ?? .empty : row.cells[field?.column ?? condition.key] ?? .empty
        switch (condition.operation, cell) {
        case (.oneOf(let values), _): return values.contains(cell.text) ? .passes : .fails
        case (.not(let values), _):
            if values.contains(cell.text) { return .fails }
            return cell == .empty || isOfType(cell, field?.type) ? .passes : .otherType
        case (_, .empty): return .fails
        case (.atLeast(.number(let bound)), .number(let value)) where isOfType(cell, field?.type):
            return value >= bound ? .passes : .fails
        case (.below(.number(let bound)), .number(let value)) where isOfType(cell, field?.type):
            return value < bound ? .passes : .fails
        case (.atLeast(.day(let bound)), .day(let value)): return value >= bound ? .passes : .fails
        case (.below(.day(let bound)), .day(let value)): return value < bound ? .passes : .fails
        case (.within(let span), .time(let time)): return time >= Self.second - span ? .passes : .fails
        case (.before(let span), .time(let time)): return time < Self.second - span ? .passes : .fails
        default: return .otherType
        }
    }

    private func isOfType(_ cell: Cell, _ type: String?) -> Bool {
        switch (type, cell) {
        case (nil, _), ("decimal", .number), ("date", .day): true
        case ("integer", .number(let value)): value % 1000 == 0
        default: false
        }
    }

    /// By audience, filter and whether the value is of another type.
    var leftOut: [[String]: Int] {
        var counts: [[String]: Int] = [:]
        for audience in audiences where audience.conditions.contains(where: \.compares) {
            let list = lists[audience.list]
            let earlier = way(to: audience).dropFirst().flatMap(\.conditions)
            for row in counting(in: list).values {
                let passes = { (condition: Condition) in verdict(of: condition, on: row, list) == .passes }
                let (lists, rest) = (
                    audience.conditions.filter { !$0.compares }, audience.conditions.filter(\.compares)
                )
                guard earlier.allSatisfy(passes), lists.allSatisfy(passes) else { continue }
                if let other = rest.first(where: { verdict(of: $0, on: row, list) == .otherType }) {
                    counts[[audience.name, other.words, "true"], default: 0] += 1
                } else if rest.filter({ !$0.isOfTime }).allSatisfy(passes),
                    let old = rest.filter(\.isOfTime).first(where: { !passes($0) })
                {
                    counts[[audience.name, old.words, "false"], default: 0] += 1
                }
            }
        }
        return counts
    }
}
