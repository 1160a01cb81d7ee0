/// The rows of one recipient. Audiences that compare take the recipient for the row that counts in their list: the one
/// seen last, or else the last one. If they take it, all its rows of that list name it.
struct CountedRows {
    /// Whom a filter of an audience leaves out.
    struct LeftOut: Hashable {
        var owner: RecipientIndex.Owner
        var filter: Int
        /// Whether the value is of another type. Otherwise it is a time that does not pass, or none.
        var isOfOtherType: Bool
    }

    /// What becomes of a recipient.
    private struct Outcome: Hashable {
        /// Those that take it.
        var owners: [RecipientIndex.Owner] = []
        var lists: [Int] = []
        var leftOut: [LeftOut] = []
    }

    /// The row of a list that counts so far.
    private struct Candidate {
        var list: Int
        var rank: RowRank
        var mark: UInt32
        var times: [Int64]
    }

    private struct OutcomeKey: Hashable {
        var mark: UInt32
        /// Which times pass: 64 tests in each number.
        var passed: [UInt64]
    }

    private struct MarkKey: Hashable {
        var mark: UInt32
        var outcome: Int
    }

    /// In seconds since 1970.
    private let now: Int64
    /// Those of the index, and behind them those that come from judging.
    private(set) var classes: [RecipientIndex.MembershipClass]
    private var numbers: [RecipientIndex.MembershipClass: UInt32] = [:]
    private var outcomes: [Outcome] = []
    private var knownOutcomes: [OutcomeKey: Int] = [:]
    private var knownMarks: [MarkKey: UInt32?] = [:]
    /// How many recipients are left out.
    private(set) var leftOut: [LeftOut: Int] = [:]

    // About the current recipient.
    private var bytes: [UInt8] = []
    /// Where its entries begin.
    private var places: [Int] = []
    private var candidates: [Candidate] = []
    /// The membership classes of its entries after judging. `nil` for an entry that names it for nobody.
    private var judged: [UInt32?] = []

    /// `nil` if no audience compares.
    init?(_ classes: [RecipientIndex.MembershipClass], at now: Int64) {
        guard classes.contains(where: { $0.compared != nil }) else { return nil }
        (self.classes, self.now) = (classes, now)
    }

    mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        candidates.removeAll(keepingCapacity: true)
    }

    /// Keeps an entry of the recipient, without its times.
    mutating func add(_ entry: ListEntry) {
        var tail = entry.tail
        if Int(entry.mark) < classes.count, let compared = classes[Int(entry.mark)].compared {
            let (times, rest) = RowTimes.split(tail, compared.times.count)
            let seen = classes[Int(entry.mark)].hasSeen ? UInt64(entry.row) + 1 : 0
            let rank = RowRank(seen: seen, place: UInt64(RowValues.parts(rest).line))
            note(Candidate(list: compared.list, rank: rank, mark: entry.mark, times: times))
            tail = rest
        }
        let registration = UnsafeRawBufferPointer(
            start: entry.key.baseAddress, count: entry.key.count + entry.rest.count)
        let place = bytes.count
        places.append(place)
        bytes.append(contentsOf: repeatElement(0, count: ListEntry.headerSize + registration.count + 2 + tail.count))
        bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            ListEntry.write(
                registration, keyLength: entry.keyLength, mark: entry.mark, row: entry.row, tail: tail,
                to: start + place)
        }
    }

    private mutating func note(_ row: Candidate) {
        guard let place = candidates.firstIndex(where: { $0.list == row.list }) else { return candidates.append(row) }
        if candidates[place].rank < row.rank { candidates[place] = row }
    }

    /// Decides who takes the recipient, once it has all its entries.
    mutating func judge() {
        let outcomes = candidates.map { (list: $0.list, number: outcome(of: $0)) }
        for (_, number) in outcomes {
            for one in self.outcomes[number].leftOut { leftOut[one, default: 0] += 1 }
        }
        let marks = bytes.withUnsafeBytes { bytes -> [UInt32] in
            bytes.baseAddress.map { start in places.map { ListEntry(start + $0).mark } } ?? []
        }
        judged = marks.map { mark -> UInt32? in
            guard Int(mark) < classes.count, let list = classes[Int(mark)].compared?.list,
                let outcome = outcomes.first(where: { $0.list == list })
            else { return mark }
            return self.mark(of: .init(mark: mark, outcome: outcome.number))
        }
    }

    /// Calls `body` with each entry that names the recipient for somebody, in order, and with its membership class after
    /// judging.
    func each<Failure: Error>(_ body: (ListEntry, UInt32) throws(Failure) -> Void) throws(Failure) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
            guard let start = bytes.baseAddress.map({ UnsafeRawPointer($0) }) else { return }
            for (place, mark) in zip(places, judged) {
                if let mark { try body(ListEntry(start + place), mark) }
            }
        }
    }

    private mutating func outcome(of row: Candidate) -> Int {
        guard let compared = classes[Int(row.mark)].compared else { return 0 }
        var key = OutcomeKey(mark: row.mark, passed: [])
        var tests = 0
        for case .by(let all) in compared.takers.map(\.verdict) {
            for test in all {
                if tests.isMultiple(of: 64) { key.passed.append(0) }
                if test.passes(row.times, at: now) { key.passed[tests / 64] |= 1 << (tests % 64) }
                tests += 1
            }
        }
        if let known = knownOutcomes[key] { return known }
        outcomes.append(judged(compared, row.times))
        knownOutcomes[key] = outcomes.count - 1
        return outcomes.count - 1
    }

    private func judged(_ compared: ComparedRow, _ times: [Int64]) -> Outcome {
        var outcome = Outcome()
        var passes: [Bool] = []
        for taker in compared.takers {
            var isTaken = taker.parent.map { passes[$0] } ?? true
            if isTaken {
                switch taker.verdict {
                case .out: isTaken = false
                case .wrongType(let filter):
                    outcome.leftOut.append(.init(owner: taker.owner, filter: filter, isOfOtherType: true))
                    isTaken = false
                case .by(let tests):
                    if let failed = tests.first(where: { !$0.passes(times, at: now) }) {
                        outcome.leftOut.append(.init(owner: taker.owner, filter: failed.filter, isOfOtherType: false))
                        isTaken = false
                    }
                }
            }
            passes.append(isTaken)
            guard isTaken else { continue }
            outcome.owners.append(taker.owner)
            if let list = taker.list { outcome.lists.append(list) }
        }
        return outcome
    }

    /// The membership class of a row after judging. `nil` if nobody takes it.
    private mutating func mark(of key: MarkKey) -> UInt32? {
        if let known = knownMarks[key] { return known }
        var judged = classes[Int(key.mark)]
        judged.compared = nil
        judged.owners += outcomes[key.outcome].owners
        judged.lists = (judged.lists + outcomes[key.outcome].lists).sorted()
        let mark = judged.lists.isEmpty ? nil : number(of: judged)
        knownMarks[key] = .some(mark)
        return mark
    }

    private mutating func number(of membershipClass: RecipientIndex.MembershipClass) -> UInt32 {
        if let known = numbers[membershipClass] { return known }
        let number = UInt32(classes.count)
        numbers[membershipClass] = number
        classes.append(membershipClass)
        return number
    }
}
