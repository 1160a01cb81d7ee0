import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Compares the resolver with a simple model that keeps everything in memory.
struct ResolverModelTests {
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `sorted rows and a table of all recipients give the same`(seed: UInt64) throws {
        let world = RandomLists(seed: seed)
        let model = ModelResolver(world)
        // With a budget of almost nothing, every few rows are a sorted run of their own.
        for budget in [1, EntrySorter.usualBudget] {
            let resolved = try Resolved(
                world.workspace, world.lists, known: world.known, dead: world.dead, next: world.next, budget: budget)
            #expect(resolved.registrations == model.registrations, "seed \(seed)")
            #expect(resolved.desired.registrations.dead == model.dead, "seed \(seed)")
            #expect(resolved.desired.registrations.changed == model.changed, "seed \(seed)")
            #expect(resolved.others == model.others, "seed \(seed)")
            #expect(resolved.unrecorded == model.unrecorded, "seed \(seed)")
            #expect(resolved.desired.unrecorded == model.unrecorded.count, "seed \(seed)")
            #expect(resolved.listed == RecipientSet(model.registrations.keys.sorted()), "seed \(seed)")
            #expect(resolved.collapsed == model.collapsed, "seed \(seed)")
            #expect(resolved.audienceSizes == model.sizes, "seed \(seed)")
            for send in resolved.sends {
                #expect(Set(send.members) == model.recipients(of: send.campaign), "seed \(seed), \(send.campaign.name)")
            }
            for group in resolved.groups { #expect(Set(group.members) == model.groups[group.name], "seed \(seed)") }
        }
    }

    @Test func `a state that has an installation twice is damaged`() throws {
        let known = [
            KnownRecipient(id: 1, registration: .fid(1)), KnownRecipient(id: 2, registration: .token(1)),
        ]
        var workspace = Workspace(audiences: [])
        workspace.campaigns = [.tide(to: .registrations([.fid(9)]))]
        #expect(throws: RecipientIndexError.recordedTwice) { try Resolved(workspace, known: known, next: 3) }
    }
}

/// A random workspace with lists, filters and chains.
private struct RandomLists {
    var workspace = Workspace(audiences: [])
    var lists: [SampleList] = []
    var known: [KnownRecipient] = []
    var dead: [Tombstone] = []
    var next: RecipientID = 1

    private static let columns = ["locale", "spot"]
    private static let values = [["it", "en", ""], ["ostia", "lido"]]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let population = Int.random(in: 1...60, using: &random)
        let rows = { (random: inout SeededRandom) in
            (0..<Int.random(in: 0...80, using: &random)).map { _ in
                (
                    registration: Registration.any(of: population, &random),
                    values: Self.values.map { $0.randomElement(using: &random) ?? "" }
                )
            }
        }
        lists = (0..<2).map { SampleList(path: "l\($0).csv", columns: Self.columns, rows: rows(&random)) }
        for list in lists.indices where Bool.random(using: &random) {
            lists[list].seen = lists[list].rows.map { _ in
                Bool.random(using: &random) ? .random(in: 0...9, using: &random) : nil
            }
        }
        for number in 0..<Int.random(in: 1...7, using: &random) {
            let filters = zip(Self.columns, Self.values).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
                .map { column, values in
                    Audience.Filter(
                        column: .init(column),
                        values: Set(values.filter { _ in Bool.random(using: &random) }))
                }
            let source: Audience.Source
            switch Int.random(in: 0..<4, using: &random) {
            case 0: source = .inline(rows(&random).map(\.registration))
            case 1 where number > 0: source = .audience(.init("a\(Int.random(in: 0..<number, using: &random))"))
            default: source = .list(.init("l\(Int.random(in: 0..<2, using: &random)).csv"))
            }
            let isInline = if case .inline = source { true } else { false }
            workspace.audiences.append(
                Audience(
                    name: .init("a\(number)"), source: source, filters: isInline ? [] : filters,
                    exclude: (0..<number).filter { _ in Int.random(in: 0..<5, using: &random) == 0 }
                        .map { .init("a\($0)") }))
        }
        let names = workspace.audiences.map(\.name)
        if Int.random(in: 0..<3, using: &random) == 0 {
            workspace.settings.suppress = Array(names.prefix(.random(in: 1...3, using: &random)))
        }
        for name in names {
            var campaign = Campaign.tide("of-\(name.value)", to: .audience(name.value))
            if let other = names.randomElement(using: &random) { campaign.exclude = [other] }
            campaign.suppressed = names.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
            workspace.campaigns.append(campaign)
        }
        for number in 0..<2 {
            workspace.campaigns.append(
                .tide("inline-\(number)", to: .registrations(rows(&random).map(\.registration))))
        }
        if let g = GroupName(rawValue: "g"), let name = names.last {
            workspace.groups = [Group(name: .init(g), members: .audience(name))]
        }
        for number in 0..<population where Bool.random(using: &random) {
            known.append(KnownRecipient(id: next, registration: .any(number, &random)))
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let registration = Registration.any(number, &random)
                if dead.contains(where: { $0.registration == registration }) { continue }
                let died = Date(timeIntervalSince1970: .random(in: 0...9, using: &random))
                dead.append(Tombstone(recipient: next, registration: registration, died: died))
            }
            next += .random(in: 1...3, using: &random)
        }
    }
}

/// Gives numbers to recipients with dictionaries, list by list and row by row.
private struct ModelResolver {
    private(set) var registrations: [RecipientID: Registration] = [:]
    private(set) var unrecorded: [RecipientID: Registration] = [:]
    private(set) var others: [RecipientID: [Registration]] = [:]
    private(set) var dead = RecipientSet()
    private(set) var changed = RecipientSet()
    private(set) var collapsed = 0
    private(set) var members: [String: Set<RecipientID>] = [:]
    private(set) var sizes: [String: Int] = [:]
    private(set) var groups: [GroupName: Set<RecipientID>] = [:]
    private let suppressed: Set<RecipientID>
    private let ids: [RecipientKey: RecipientID]

    init(_ world: RandomLists) {
        let workspace = world.workspace
        let audiences = Dictionary(uniqueKeysWithValues: workspace.audiences.map { ($0.name.value, $0) })
        // The registrations that each audience's own source names, with its own filters applied.
        var named: [[(registration: Registration, seen: UInt32?)]] = workspace.audiences.map { audience in
            if case .audience = audience.source { [] } else { Self.rows(of: audience, audiences, world.lists) }
        }
        for case .registrations(let listed) in workspace.campaigns.map(\.target.value) {
            named.append(listed.map { ($0, nil) })
        }

        var ids = Dictionary(uniqueKeysWithValues: world.known.map { ($0.registration.recipientKey, $0.id) })
        let keys = Set(named.flatMap { $0.map(\.registration.recipientKey) })
        let new = keys.filter { ids[$0] == nil }.sorted {
            Array($0.rawValue.utf8).lexicographicallyPrecedes($1.rawValue.utf8)
        }
        for (offset, key) in new.enumerated() { ids[key] = world.next + RecipientID(offset) }
        self.ids = ids
        let known = Dictionary(uniqueKeysWithValues: world.known.map { ($0.id, $0.registration) })
        let died = Dictionary(uniqueKeysWithValues: world.dead.map { ($0.registration, $0.died.timeIntervalSince1970) })
        // What speaks for each registration: when it was seen, then the list, then the row of one that says nothing.
        var ranks: [RecipientID: [Registration: [Double]]] = [:]
        for (place, list) in named.enumerated() {
            for (row, (registration, seen)) in list.enumerated() {
                let id = ids[registration.recipientKey] ?? 0
                let rank: [Double]
                if let seen {
                    rank = [Double(seen), Double(place), 0]
                } else {
                    rank = [-1, Double(place), Double(row)]
                }
                let before: [Double] = ranks[id]?[registration] ?? rank
                ranks[id, default: [:]][registration] = before.lexicographicallyPrecedes(rank) ? rank : before
            }
            collapsed += list.count - Set(list.map(\.registration)).count
        }
        collapsed += Set(named.flatMap { $0.map(\.registration) }).count - ranks.count
        for (id, listed) in ranks {
            let order = listed.sorted { one, other in
                one.value == other.value
                    ? Array(one.key.rawValue.utf8).lexicographicallyPrecedes(Array(other.key.rawValue.utf8))
                    : other.value.lexicographicallyPrecedes(one.value)
            }
            let living = order.filter { registration, rank in died[registration].map { $0 < rank[0] } ?? true }
            registrations[id] = (living.first ?? order.first)?.key
            if living.count > 1 { others[id] = living.dropFirst().map(\.key) }
            if living.isEmpty {
                dead.insert(id)
            } else if let first = living.first?.key, known[id] != first || died[first] != nil {
                unrecorded[id] = first
                if known[id] != nil { changed.insert(id) }
            }
        }

        func whole(_ name: String) -> Set<RecipientID> {
            guard let audience = audiences[name] else { return [] }
            let rows = Self.rows(of: audience, audiences, world.lists).map { ids[$0.registration.recipientKey] ?? 0 }
            var excluded = Set(audience.exclude.flatMap { whole($0.value) })
            var source = audience.source
            while case .audience(let from) = source, let parent = audiences[from.value] {
                excluded.formUnion(parent.exclude.flatMap { whole($0.value) })
                source = parent.source
            }
            return Set(rows).subtracting(excluded)
        }
        suppressed = Set(workspace.settings.suppress.flatMap { whole($0.value) })
        for name in audiences.keys {
            let isSuppressed = workspace.settings.suppress.contains { $0.value == name }
            sizes[name] = (isSuppressed ? whole(name) : whole(name).subtracting(suppressed)).count
            let others = workspace.settings.suppress.filter { $0.value != name }
            members[name] = others.reduce(into: whole(name)) { $0.subtract(whole($1.value)) }
        }
        unsuppressed = Dictionary(uniqueKeysWithValues: audiences.keys.map { ($0, whole($0)) })
        for case (let name, .audience(let audience)) in workspace.groups.map({ ($0.name.value, $0.members) }) {
            groups[name] = whole(audience.value).subtracting(suppressed)
        }
    }

    private let unsuppressed: [String: Set<RecipientID>]

    func recipients(of campaign: Campaign) -> Set<RecipientID> {
        let excluded = (campaign.exclude + campaign.suppressed).flatMap { unsuppressed[$0.value] ?? [] }
        switch campaign.target.value {
        case .audience(let name): return (members[name] ?? []).subtracting(excluded)
        case .registrations(let listed):
            return Set(listed.map { ids[$0.recipientKey] ?? 0 }).subtracting(suppressed).subtracting(excluded)
        default: return [0]
        }
    }

    /// The rows of the source at the end of the chain that pass every filter on the way.
    private static func rows(
        of audience: Audience, _ audiences: [String: Audience], _ lists: [SampleList]
    ) -> [(registration: Registration, seen: UInt32?)] {
        var (source, filters) = (audience.source, audience.filters)
        while case .audience(let from) = source, let parent = audiences[from.value] {
            filters += parent.filters
            source = parent.source
        }
        switch source {
        case .inline(let registrations): return filters.isEmpty ? registrations.map { ($0, nil) } : []
        case .audience: return []
        case .list(let path, _):
            let list = lists.first { $0.path == path.value }
            let seen = list.map { list in list.rows.indices.map { $0 < list.seen.count ? list.seen[$0] : nil } } ?? []
            return zip(list?.rows ?? [], seen).filter { row, _ in
                filters.allSatisfy { filter in
                    list?.columns.firstIndex(of: filter.column.value).map { filter.values.contains(row.values[$0]) }
                        ?? false
                }
            }.map { ($0.registration, $1) }
        }
    }
}

extension Registration {
    fileprivate static func any(of population: Int, _ random: inout SeededRandom) -> Registration {
        any(.random(in: 0..<population, using: &random), &random)
    }

    /// A fid, one of its tokens or, for some, a token that is its own key.
    fileprivate static func any(_ number: Int, _ random: inout SeededRandom) -> Registration {
        if number % 7 == 3 { return .keyless(number) }
        return Bool.random(using: &random) ? .fid(number) : .token(number, version: .random(in: 0...2, using: &random))
    }

    /// Its text begins like a fid, but it belongs to another installation.
    private static func keyless(_ number: Int) -> Registration {
        Registration(fid(number - 1).rawValue + "-" + String(repeating: "x", count: 100)) ?? fid(number)
    }
}
