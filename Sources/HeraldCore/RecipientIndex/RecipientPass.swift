internal import FCM

/// One pass over all rows, recipient by recipient. It has many parts, because it is the one pass: whatever is wanted of
/// the rows is gathered in it.
struct RecipientPass {
    /// A recipient that at least one list names.
    struct Recipient {
        var id: RecipientID
        /// Whether the state has the registration that counts, and takes it for living.
        var isRecorded: Bool
        /// Whether every registration that a list names is dead.
        var isDead: Bool
        /// Whether a list names another living registration than the one that counts.
        var hasOthers: Bool
    }

    private var merge: EntryMerge
    /// Those of the index. Comparisons add some while the pass goes on.
    private(set) var membershipClasses: [RecipientIndex.MembershipClass]
    /// By membership class: whether its rows say when an app was seen, and the place of its last list in the upper half.
    private var ranking: [(hasSeen: Bool, list: UInt64)]
    private let keepsOthers: Bool
    private var newest: NewestRows
    private var newestZones: NewestZones
    /// `nil` if no audience compares.
    private var counted: CountedRows?
    private(set) var nextNumber: RecipientID
    /// Notes about every recipient that the state will know after the recipients of this pass are recorded.
    private(set) var notes: RecipientNumbers.Notes?

    // About the recipient that `next` returned last.
    private var key: [UInt8] = []
    /// The recipient's number in the state, and the rest of its recorded registration.
    private var recorded: RecipientID?
    private var recordedRest: [UInt8] = []
    /// The registration whose entries are being read, and the one that counts so far.
    private var current = Listed()
    private var best = Listed()
    private var living = 0
    /// The living registrations besides the best one, if they are kept.
    private var otherListed: [Listed] = []
    private var names = NamesOfOne()
    /// The membership classes of its rows, each once.
    private(set) var marks: [UInt32] = []
    private var seenMarks: Set<UInt32> = []

    /// How many names were merged so far: rows that stand in a list twice, and further registrations of one
    /// installation in any list.
    private(set) var collapsed = 0
    /// How many of those are rows that stand in a list twice, by membership class.
    private(set) var repeated: [Int]
    /// The membership classes of recipients that are listed with several registrations, or with another one than the
    /// state has.
    private(set) var mixedMarks: Set<UInt32> = []

    init(
        _ merge: EntryMerge, _ membershipClasses: [RecipientIndex.MembershipClass], next: RecipientID,
        valued: [ValueNeed.Owner] = [], zoned: [ValueNeed.Owner] = [], noting notes: RecipientNumbers.Notes? = nil,
        keepingOthers: Bool = false,
        counting counted: CountedRows? = nil
    ) {
        (self.merge, self.membershipClasses, nextNumber, self.notes) = (merge, membershipClasses, next, notes)
        (keepsOthers, self.counted) = (keepingOthers, counted)
        ranking = membershipClasses.map(\.ranking)
        newest = NewestRows(of: valued, membershipClasses)
        newestZones = NewestZones(of: zoned, membershipClasses)
        repeated = [Int](repeating: 0, count: membershipClasses.count)
    }

    /// The recipient key of the recipient that `next` returned last.
    var recipientKey: [UInt8] { key }

    /// Calls `body` for each owner whose values are needed and that takes the recipient that `next` returned last: with the
    /// owner's place, the recipient key and the newest row, as `NewestRows` hands it out.
    func eachNewest<Failure: Error>(
        _ body: (Int, _ key: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        if newest.isEmpty { return }
        try key.withUnsafeBufferPointer { (key) throws(Failure) in
            try newest.each { (owner, row) throws(Failure) in try body(owner, UnsafeRawBufferPointer(key), row) }
        }
    }

    /// Calls `body` for each owner whose campaigns go by zones and that takes the recipient that `next` returned last: with
    /// the owner's place, and the membership class of the row whose zone counts (`NewestZones`).
    func eachNewestZone(_ body: (Int, UInt32) -> Void) { newestZones.each(body) }

    /// The registration that counts, of the recipient that `next` returned last. A living one counts before a dead one,
    /// then the one seen last, then the one listed last. In one row a fid counts before a token.
    var registration: Registration? { Registration(String(decoding: key + best.rest, as: UTF8.self)) }

    /// The other living registrations of that recipient, the best one first, if the pass keeps them.
    var others: [Registration] {
        otherListed.sorted { $0.rank == $1.rank ? $0.rest.lexicographicallyPrecedes($1.rest) : $1.rank < $0.rank }
            .compactMap { Registration(String(decoding: key + $0.rest, as: UTF8.self)) }
    }

    /// How many recipients filters left out so far.
    var leftOut: [CountedRows.LeftOut: Int] { counted?.leftOut ?? [:] }

    mutating func next() throws(RecipientIndexError) -> Recipient? {
        while let first = merge.head {
            begin(first)
            if counted == nil {
                while let entry = merge.head, entry.key.equals(key) {
                    try read(entry, as: entry.mark)
                    try merge.pass()
                }
            } else {
                try readCounted()
            }
            judgeCurrent()
            if marks.isEmpty {
                if let recorded { notes?.add(key + recordedRest, keyLength: key.count, id: recorded) }
                continue
            }
            collapsed += names.collapsed
            return try finish()
        }
        return nil
    }

    private mutating func read(_ entry: ListEntry, as mark: UInt32) throws(RecipientIndexError) {
        switch mark {
        case ListEntry.recorded:
            guard recorded == nil else { throw .recordedTwice }
            recorded = entry.row
            recordedRest.replace(by: entry.rest)
        case ListEntry.dead:
            turn(to: entry)
            current.died = entry.row
        default:
            turn(to: entry)
            take(entry, as: mark)
        }
    }

    /// Reads all entries of the recipient before it is known which count.
    private mutating func readCounted() throws(RecipientIndexError) {
        // It is taken out, so that the entries can be read while they are lent.
        guard var counted else { return }
        self.counted = nil
        counted.begin()
        while let entry = merge.head, entry.key.equals(key) {
            counted.add(entry)
            try merge.pass()
        }
        counted.judge()
        for added in counted.classes[membershipClasses.count...] {
            membershipClasses.append(added)
            ranking.append(added.ranking)
            repeated.append(0)
            newest.add(added)
            newestZones.add(added)
        }
        try counted.each { (entry, mark) throws(RecipientIndexError) in try read(entry, as: mark) }
        self.counted = counted
    }

    private mutating func finish() throws(RecipientIndexError) -> Recipient {
        // Only a recipient that the state knows can have a tombstone there.
        let isDead = recorded != nil && !best.isLiving
        let isTheirs = recordedRest == best.rest
        if names.areSeveral || isDead && !isTheirs { mixedMarks.formUnion(marks) }
        if let recorded {
            // A dead registration never replaces the one in the state.
            let known = isDead ? recordedRest : best.rest
            notes?.add(key + known, keyLength: key.count, id: recorded)
            return Recipient(
                id: recorded, isRecorded: isDead || isTheirs && best.died == nil, isDead: isDead,
                hasOthers: living > 1)
        }
        guard nextNumber <= ListedRecipients.lastNumber else { throw .tooMany }
        defer { nextNumber += 1 }
        notes?.add(key + best.rest, keyLength: key.count, id: nextNumber)
        return Recipient(id: nextNumber, isRecorded: false, isDead: false, hasOthers: living > 1)
    }

    private mutating func begin(_ entry: ListEntry) {
        key.replace(by: entry.key)
        recorded = nil
        (living, current.isListed, current.died, best.isListed) = (0, false, nil, false)
        current.rest.replace(by: entry.rest)
        if !otherListed.isEmpty { otherListed = [] }
        names.begin()
        newest.begin()
        newestZones.begin()
        marks.removeAll(keepingCapacity: true)
        if !seenMarks.isEmpty { seenMarks = [] }
    }

    /// Makes the entry's registration the current one.
    private mutating func turn(to entry: ListEntry) {
        if entry.rest.equals(current.rest) { return }
        judgeCurrent()
        current.rest.replace(by: entry.rest)
        (current.isListed, current.died) = (false, nil)
    }

    /// All entries of the current registration have been read.
    private mutating func judgeCurrent() {
        guard current.isListed else { return }
        if current.isLiving { living += 1 }
        let died = current.isLiving ? nil : current.died
        newest.judge(died: died)
        newestZones.judge(died: died)
        let isBetter = !best.isListed || current.outranks(best)
        if keepsOthers {
            let other = isBetter ? best : current
            if other.isListed, other.isLiving { otherListed.append(other) }
        }
        if isBetter { swap(&best, &current) }
        current.isListed = false
    }

    private mutating func take(_ entry: ListEntry, as mark: UInt32) {
        let place = Int(mark)
        repeated[place] += names.add(place, of: membershipClasses, isFirst: !current.isListed)
        note(mark)
        let (hasSeen, list) = ranking[place]
        let rank =
            hasSeen
            ? RowRank(seen: UInt64(entry.row) + 1, place: list) : .init(seen: 0, place: list | UInt64(entry.row))
        if !current.isListed || current.rank < rank { current.rank = rank }
        newest.take(entry, as: mark, rank)
        newestZones.take(entry, as: mark, rank)
        current.isListed = true
    }

    private mutating func note(_ mark: UInt32) {
        if marks.isEmpty {
            marks.append(mark)
        } else if marks.last != mark {
            if seenMarks.isEmpty { seenMarks = Set(marks) }
            if seenMarks.insert(mark).inserted { marks.append(mark) }
        }
    }
}

extension RecipientIndex.MembershipClass {
    fileprivate var ranking: (hasSeen: Bool, list: UInt64) { (hasSeen, UInt64(lists.last ?? 0) << 32) }
}

/// What decides between rows of one installation: when the app was seen last, or else where it is listed last.
struct RowRank: Comparable {
    /// 0 if no row says.
    var seen: UInt64
    var place: UInt64

    static func < (one: RowRank, other: RowRank) -> Bool { (one.seen, one.place) < (other.seen, other.place) }
}

/// One registration of an installation, as lists and state name it.
private struct Listed {
    /// The registration without its recipient key.
    var rest: [UInt8] = []
    var isListed = false
    var rank = RowRank(seen: 0, place: 0)
    /// When it died, in seconds since 1970. Its app may have been seen later.
    var died: UInt32?

    /// Whether its app was seen after it died, or it never died.
    var isLiving: Bool { died.map { rank.seen > UInt64($0) + 1 } ?? true }

    func outranks(_ other: Listed) -> Bool {
        isLiving == other.isLiving ? other.rank < rank : isLiving
    }
}

/// Counts how often an installation is named. Its entries arrive sorted by registration.
private struct NamesOfOne {
    /// The lists that named the current registration. Those of its first row are added when there is a second row.
    private var lists: Set<Int> = []
    /// The membership class of its first row.
    private var first = 0
    private var registrations = 0
    private var repeated = 0

    /// Names beyond the first: of each registration in each list, and of the installation.
    var collapsed: Int { repeated + max(0, registrations - 1) }

    var areSeveral: Bool { registrations > 1 }

    mutating func begin() { (registrations, repeated) = (0, 0) }

    /// Returns how many of the lists had already named the registration.
    ///
    /// - Parameters:
    ///   - place: that of the row's membership class.
    ///   - isFirst: whether this is the registration's first row.
    mutating func add(_ place: Int, of classes: [RecipientIndex.MembershipClass], isFirst: Bool) -> Int {
        if isFirst {
            registrations += 1
            first = place
            if !lists.isEmpty { lists.removeAll(keepingCapacity: true) }
            return 0
        }
        if lists.isEmpty { lists.formUnion(classes[first].lists) }
        let again = classes[place].lists.count { !lists.insert($0).inserted }
        repeated += again
        return again
    }
}

extension [UInt8] {
    mutating func replace(by bytes: UnsafeRawBufferPointer) {
        removeAll(keepingCapacity: true)
        append(contentsOf: bytes)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func equals(_ bytes: [UInt8]) -> Bool {
        count == bytes.count && bytes.withUnsafeBytes { compared(to: $0) == 0 }
    }
}
