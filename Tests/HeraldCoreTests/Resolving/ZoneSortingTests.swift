import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Whose clock counts for whom: the zone of the newest of the rows that the audience takes.
struct ZoneSortingTests {
    @Test func `each audience has the zones of its newest rows, over random lists`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        var (named, defaulted) = (0, 0)
        for _ in 0..<300 {
            let world = ZonedWorld(&random)
            let loaded = try WorkspaceLoader.load(files: world.files)
            try #require(!loaded.diagnostics.hasErrors, "seed \(seed): \(loaded.shown)")
            let recipients = ListedRecipients(try #require(try loaded.recipientIndex?.get()))
            let sends = try Resolver.desired(of: try #require(loaded.workspace), recipients).sends
            var keys: [RecipientID: RecipientKey] = [:]
            var pass = try recipients.pass()
            while let recipient = try pass.next() { keys[recipient.id] = try #require(pass.registration).recipientKey }
            for send in sends {
                let (audience, field) = try #require(world.campaigns[send.campaign.name.value])
                let expected = world.zones(of: audience, by: field)
                let found = (send.zones[field] ?? [:]).mapValues { Set($0.compactMap { keys[$0] }) }
                #expect(found == expected.byZone, "seed \(seed), \(send.campaign.name.value): \(world.files)")
                #expect(send.zonesDefaulted == expected.defaulted, "seed \(seed)")
                named += found.values.reduce(0) { $0 + $1.count }
                defaulted += expected.defaulted
            }
        }
        #expect(named > 1000 && defaulted > 300, "seed \(seed)")
    }
}

/// Two lists with two columns of zones each, and audiences that take all rows, some rows, or go by the newest row.
private struct ZonedWorld {
    struct Row {
        var registration: Registration
        var tier: String
        var points: Int
        var zones: [String: String]
        /// In hours.
        var seen: Int?
    }

    enum Audience: String, CaseIterable { case all, gold, rich }

    private(set) var lists: [[Row]] = []
    private(set) var files: [String: String] = [:]
    /// By name, the list and the audience, and the field.
    private(set) var campaigns: [String: (audience: (list: Int, Audience), field: String)] = [:]
    /// As they may be written, with the zones that they name.
    private static let zones: [(text: String, zone: Zone?)] = [
        ("Europe/Rome", Zone(written: "Europe/Rome")), (" Asia/Tokyo ", Zone(written: "Asia/Tokyo")),
        ("+05:30", Zone(offset: 19_800)), ("UTC-3", Zone(offset: -10_800)), ("", nil), ("Nowhere/Land", nil),
        ("Zürich", nil),
    ]

    init(_ random: inout SeededRandom) {
        var text = ""
        for list in 0..<2 {
            lists.append((0..<Int.random(in: 0...14, using: &random)).map { _ in Self.row(&random) })
            // The first list is read in its own order, the second says when apps were seen.
            let columns = list == 0 && Bool.random(using: &random) ? "" : ", columns: {seen: last}"
            if columns.isEmpty { lists[list] = lists[list].map { Row(unseen: $0) } }
            files["l\(list).csv"] = Self.text(lists[list])
            let fields = "fields: {home: {type: timezone}, work: {type: timezone, column: office}}"
            text += "kind: audience\nname: all\(list)\nsource: {file: l\(list).csv\(columns)}\n\(fields)\n---\n"
            text += "kind: audience\nname: gold\(list)\nfrom: all\(list)\nwhere: {tier: [gold]}\n---\n"
            text += "kind: audience\nname: rich\(list)\nfrom: all\(list)\nwhere: {points: {at_least: 2}}\n---\n"
            for audience in Audience.allCases where Int.random(in: 0..<3, using: &random) > 0 {
                let field = Bool.random(using: &random) ? "home" : "work"
                let name = "to-\(audience.rawValue)\(list)"
                campaigns[name] = ((list, audience), field)
                text += """
                    kind: campaign
                    name: \(name)
                    target: {audience: \(audience.rawValue)\(list)}
                    message: {data: {a: b}}
                    delivery:
                      expires_after: 20h
                      window: {from: "08:00", to: "20:00", timezone: {field: \(field), default: Europe/Oslo}}
                    ---

                    """
            }
        }
        files["all.yaml"] = text
        files["herald.yaml"] = "herald: 2\nproject: tide-app\n"
    }

    private static func row(_ random: inout SeededRandom) -> Row {
        let number = Int.random(in: 1...8, using: &random)
        let isFid = Bool.random(using: &random)
        let registration =
            isFid ? Registration.fid(number) : .token(number, version: .random(in: 0...1, using: &random))
        let zone = { (random: inout SeededRandom) in zones.randomElement(using: &random)?.text ?? "" }
        return Row(
            registration: registration, tier: Bool.random(using: &random) ? "gold" : "silver",
            points: .random(in: 0...4, using: &random), zones: ["home": zone(&random), "work": zone(&random)],
            seen: Int.random(in: 0..<4, using: &random) == 0 ? nil : .random(in: 0...3, using: &random))
    }

    private static func text(_ rows: [Row]) -> String {
        "token,fid,tier,points,home,office,last\n"
            + rows.map { row in
                let seen = row.seen.map { "2026-11-01T0\($0):00:00Z" } ?? ""
                let (isFid, text) = (row.registration.kind == .fid, row.registration.rawValue)
                return "\(isFid ? "" : text),\(isFid ? text : ""),\(row.tier),\(row.points),\(row.zones["home"] ?? ""),"
                    + "\(row.zones["work"] ?? ""),\(seen)\n"
            }.joined()
    }

    func zones(
        of audience: (list: Int, kind: Audience), by field: String
    ) -> (byZone: [Zone: Set<RecipientKey>], defaulted: Int) {
        var newest: [RecipientKey: Row] = [:]
        let rows = lists[audience.list].filter { audience.kind != .gold || $0.tier == "gold" }
        for row in rows {
            let key = row.registration.recipientKey
            if let known = newest[key], (row.seen ?? -1) < (known.seen ?? -1) { continue }
            newest[key] = row
        }
        if audience.kind == .rich { newest = newest.filter { $0.value.points >= 2 } }
        var (byZone, defaulted): ([Zone: Set<RecipientKey>], Int) = ([:], 0)
        for (key, row) in newest {
            if let zone = Self.zones.first(where: { $0.text == row.zones[field] })?.zone {
                byZone[zone, default: []].insert(key)
            } else {
                defaulted += 1
            }
        }
        return (byZone, defaulted)
    }
}

extension ZonedWorld.Row {
    /// Of a list that does not say when apps were seen.
    fileprivate init(unseen row: Self) {
        self = row
        seen = nil
    }
}
