import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// A hundred people with the same caps, each of whom gets other messages. What a run would do is done to a state: it asks
/// the book, notes starts, sends a little later, hears of refusals or dies. People drop, rename and prune occurrences,
/// and have others erased.
struct CapWorld {
    static let population = 100
    private static let tags = ["news", "promo"]
    private static let spans: [Duration] = [
        .seconds(60), .seconds(1800), .seconds(2880), .seconds(7200), .seconds(86_400), .seconds(7 * 86_400),
    ]

    private var random: SeededRandom
    /// How far the book is ahead of the clock. Then it forgets too early, or too late.
    private let lead: Double
    private var now = Date(timeIntervalSince1970: 1_764_576_000)
    private var people = RecipientSet(1...RecipientID(population))
    private var caps: [FrequencyCap] = []
    /// Whether the caps stay as they are. Otherwise a message may have been noted in longer spans than its caps have now.
    private let keepsCaps: Bool
    private var longestSpan = 0
    /// All starts up to then are forgotten.
    private var forgotten = Date.distantPast
    private var occurrences: [OccurrenceID] = []
    private var campaigns = 0
    private var truth = CapTruth()
    private(set) var sent = 0
    private(set) var capped = 0
    private(set) var problems: [String] = []

    /// A message to many, as a campaign has it when it is planned.
    private struct Send {
        var id: OccurrenceID
        var campaign: String
        var isNew: Bool
        var members: RecipientSet
        var frequency = Frequency()
        var counting: StartCounting?
    }

    init(seed: UInt64, lead: Double = 0) {
        (random, self.lead) = (SeededRandom(seed: seed), lead)
        keepsCaps = seed.isMultiple(of: 2)
        editCaps()
    }

    mutating func live(in open: OpenStore) async throws {
        try await open.commit(interned(Self.population), .counting(since: now))
        for _ in 0..<30 {
            now += Double.random(in: 1...(chance(0.2) ? 90_000 : 4000), using: &random).rounded()
            if chance(0.3) { try await edit(open) }
            try await run(open)
        }
        try await open.store.check()
    }

    // MARK: People

    private mutating func editCaps() {
        caps = (0..<Int.random(in: 1...3, using: &random)).map { number in
            FrequencyCap(
                name: "cap\(number)", max: .random(in: 1...3, using: &random),
                per: Self.spans.randomElement(using: &random) ?? .seconds(3600),
                tags: chance(0.5) ? nil : Set(Self.tags.filter { _ in chance(0.6) }))
        }
    }

    private mutating func edit(_ open: OpenStore) async throws {
        let some = occurrences.randomElement(using: &random)
        switch Int.random(in: 0...4, using: &random) {
        case 0:
            guard let some else { return }
            try await open.commit(.drop(.occurrence(some)))
            truth.drop(some)
            occurrences.removeAll { $0 == some }
        case 1:
            try await open.commit(.rename(campaign: "c\(campaigns)", to: "c\(campaigns + 1)"))
            campaigns += 1
        case 2:
            guard let some else { return }
            try await open.commit(.finish(some, at: now), .prune([some]))
            // Nobody is tried again of whom only counts are left.
            occurrences.removeAll { $0 == some }
        case 3:
            guard people.count > Self.population * 9 / 10 else { return }
            guard let one = Array(people).randomElement(using: &random) else { return }
            try await open.commit(.erase([one]))
            people.subtract([one])
            truth.forget(one)
        default: if !keepsCaps { editCaps() }
        }
    }

    // MARK: A run

    private mutating func run(_ open: OpenStore) async throws {
        // Each run is a process of its own.
        let store = try await open.other()
        var book = CapBook(try await store.snapshot().starts, at: now + lead)
        let end = now - (caps.map(\.per).max() ?? .zero).seconds
        try await store.commit([.forgetStarts(until: end)])
        forgotten = max(forgotten, end)
        var mates: [RecipientID: [Frequency]] = [:]
        var sends: [Send] = []
        for number in 0..<Int.random(in: 1...3, using: &random) { sends.append(newSend(number)) }
        for place in sends.indices {
            judge(&sends[place], by: book, mates)
            guard let counting = sends[place].counting else { continue }
            book.count(sends[place].members, of: sends[place].id, tags: counting.tags, heeding: [])
            for person in sends[place].members { mates[person, default: []].append(sends[place].frequency) }
        }
        let dies = chance(0.2) ? Int.random(in: 0..<sends.count, using: &random) : .max
        for (place, send) in sends.enumerated() {
            try await carryOut(send, in: store, isLast: place == dies)
            if place == dies { break }
        }
    }

    /// - Parameter number: its place in the plan. An occurrence is planned once.
    private mutating func newSend(_ number: Int) -> Send {
        var members: [RecipientID] = []
        for person in people where chance(0.6) { members.append(person) }
        let again = number == 0 && chance(0.2) ? occurrences.randomElement(using: &random) : nil
        campaigns += again == nil ? 1 : 0
        var send = Send(
            id: again ?? OccurrenceID(rawValue: "c\(campaigns)@once"), campaign: "c\(campaigns)", isNew: again == nil,
            members: RecipientSet(members))
        send.frequency.tags = Self.tags.filter { _ in chance(0.5) }
        (send.frequency.ignoresCaps, send.frequency.counts) = (chance(0.1), !chance(0.1))
        send.frequency.caps = caps.filter { $0.isFor(send.frequency.tags) }
        send.counting = StartCounting(send.frequency, caps)
        longestSpan = max(longestSpan, send.counting?.span ?? 0)
        return send
    }

    /// Leaves out whom a cap stops.
    ///
    /// - Parameter mates: what each person is to get before it.
    private mutating func judge(_ send: inout Send, by book: CapBook, _ mates: [RecipientID: [Frequency]]) {
        guard !send.frequency.ignoresCaps else { return }
        for (cap, members) in book.capped(send.members, of: send.id, by: send.frequency.caps) {
            let slack = keepsCaps ? max(60, cap.per.seconds / 48) : Double(max(60, longestSpan))
            let earlier = send.frequency.caps.prefix { $0 != cap }
            for person in members {
                let others = (mates[person] ?? []).count { cap.isFor($0.tags) }
                let begin = now - cap.per.seconds - slack
                if truth.count(for: person, besides: send.id, cap, since: begin) + others < cap.max {
                    problems.append("\(person) is stopped by \(cap.words) at \(now.rfc3339) before \(send.id)")
                }
                if let first = earlier.first(where: { isFull($0, for: person, besides: send.id, at: now) }) {
                    problems.append("\(person) is stopped by \(cap.words) and not by \(first.words)")
                }
            }
            capped += members.count
            send.members.subtract(members)
        }
    }

    private func isFull(
        _ cap: FrequencyCap, for person: RecipientID, besides id: OccurrenceID, at instant: Date
    ) -> Bool {
        truth.count(for: person, besides: id, cap, since: max(forgotten, instant - cap.per.seconds)) >= cap.max
    }

    /// Notes the starts, sends, and notes what came of it, unless the process dies before.
    private mutating func carryOut(_ send: Send, in store: any StateStore, isLast dies: Bool) async throws {
        guard !send.members.isEmpty else { return }
        now += chance(0.3) ? Double.random(in: 0...50, using: &random) : 0
        var changes: [StateChange] = []
        if send.isNew {
            changes.append(.open(send.id, .sample(send.campaign)))
            occurrences.append(send.id)
        }
        changes.append(.outcome(send.id, send.members, .intended))
        let start = send.counting?.start(at: now)
        if let start { changes.append(.started(send.id, send.members, start)) }
        try await store.commit(changes)
        // A message leaves before its span ends.
        let last = min(start?.until ?? now, now + 5)
        var refused = RecipientSet()
        for person in send.members {
            let instant = now + Double.random(in: 0...1, using: &random) * last.timeIntervalSince(now)
            let stopping = send.frequency.ignoresCaps ? [] : send.frequency.caps
            if let full = stopping.first(where: { isFull($0, for: person, besides: send.id, at: instant) }) {
                problems.append("\(person) got \(send.id) at \(instant.rfc3339), one more than \(full.words)")
            }
            let isRefused = !dies && chance(0.15)
            if isRefused { refused.insert(person) }
            truth.note(
                person, send.id, .init(start: instant, tags: send.frequency.tags, counts: !isRefused),
                isCounted: send.counting != nil)
            sent += 1
        }
        now = max(now, last)
        if dies { return }
        changes = [.outcome(send.id, send.members.subtracting(refused), .accepted)]
        if !refused.isEmpty { changes.append(.reject(send.id, refused, code: "INVALID_ARGUMENT")) }
        if send.counting != nil, !refused.isEmpty { changes.append(.unstarted(send.id, refused)) }
        try await store.commit(changes)
    }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
}

/// Every message of every person. One that is sent again is no second one.
private struct CapTruth {
    struct Message {
        var start: Date
        var tags: [String]
        var counts: Bool
    }

    private var messages: [RecipientID: [OccurrenceID: Message]] = [:]
    private var drops = 0

    /// - Parameter isCounted: whether the campaign's messages count. If not, an earlier one of the occurrence stays as it is.
    mutating func note(_ person: RecipientID, _ id: OccurrenceID, _ message: Message, isCounted: Bool) {
        if isCounted { messages[person, default: [:]][id] = message }
    }

    /// What comes under that name later is another message.
    mutating func drop(_ id: OccurrenceID) {
        drops += 1
        for person in messages.keys {
            if let message = messages[person]?.removeValue(forKey: id) {
                messages[person]?[OccurrenceID(rawValue: "\(id) \(drops)")] = message
            }
        }
    }

    mutating func forget(_ person: RecipientID) { messages[person] = nil }

    /// How many messages of a person count for a cap and started later than that.
    func count(for person: RecipientID, besides id: OccurrenceID, _ cap: FrequencyCap, since begin: Date) -> Int {
        (messages[person] ?? [:]).count { key, message in
            key != id && message.counts && message.start > begin && cap.isFor(message.tags)
        }
    }
}
