internal import Dispatch
internal import Synchronization

/// Judges rows for personal campaigns on the other cores, while whoever finds the rows goes on.
struct RowJudging {
    /// A personal campaign, and whose rows it goes to.
    struct Send: Sendable {
        let campaign: String
        let owner: RecipientIndex.Owner
        let messages: PersonalMessages

        init(_ campaign: String, to owner: RecipientIndex.Owner, _ messages: PersonalMessages) {
            (self.campaign, self.owner, self.messages) = (campaign, owner, messages)
        }
    }

    /// How many bytes of rows are handed over at once.
    private static let batchSize = 64 << 10
    /// How many batches at most wait for other cores or are judged there. This bounds memory.
    private static let most = 4

    private let sends: [Send]
    private let owners: [ValueNeed.Owner]
    private var batch = JudgingBatch(size: 0)
    private let queue = DispatchQueue(label: "herald.rows", attributes: .concurrent)
    private let shared = Shared()

    /// - Parameter owners: whose rows come. Rows name them by place.
    init(for sends: [Send], _ owners: [ValueNeed.Owner]) { (self.sends, self.owners) = (sends, owners) }

    /// - Parameter owner: the owner's place.
    mutating func add(_ row: ValueFile.Row, of owner: Int) {
        if sends.isEmpty { return }
        batch.append(row, of: owner)
        if batch.size >= Self.batchSize { handOver() }
    }

    private mutating func handOver() {
        let full = batch
        batch = JudgingBatch(size: Self.batchSize)
        // If the other cores are behind, this one judges the batch instead of waiting.
        guard shared.put(full, atMost: Self.most) else { return judge(full) }
        queue.async { [sends, owners, shared] in
            guard let batch = shared.begin() else { return }
            var judge = shared.takeJudge() ?? RowJudge(sends, owners, isAlone: false)
            judge.judge(batch)
            shared.end(judge)
        }
    }

    private func judge(_ batch: JudgingBatch) {
        var judge = shared.takeJudge() ?? RowJudge(sends, owners, isAlone: false)
        judge.judge(batch)
        shared.give(judge)
    }

    /// Judges what no other core has begun with, and waits for the rest. The results are in the order of the campaigns.
    consuming func finish() -> [JudgedRows] {
        if sends.isEmpty { return [] }
        var judge = shared.takeJudge() ?? RowJudge(sends, owners, isAlone: true)
        judge.judge(batch)
        while let batch = shared.take() { judge.judge(batch) }
        shared.waitForOthers()
        while let other = shared.takeJudge() { judge.add(other) }
        return judge.judged
    }
}

/// What the cores that judge rows have in common.
private final class Shared: Sendable {
    private struct Work {
        var batches: [JudgingBatch] = []
        /// How many batches are being judged.
        var begun = 0
        /// Those that no core is using.
        var judges: [RowJudge] = []
    }

    private let work = Mutex(Work())
    /// Counts the batches that other cores have judged.
    private let ended = DispatchSemaphore(value: 0)

    /// Returns `false` if there are as many already.
    func put(_ batch: JudgingBatch, atMost most: Int) -> Bool {
        work.withLock { work in
            guard work.batches.count + work.begun < most else { return false }
            work.batches.append(batch)
            return true
        }
    }

    func take() -> JudgingBatch? { work.withLock { $0.batches.popLast() } }

    func begin() -> JudgingBatch? {
        work.withLock { work in
            guard let batch = work.batches.popLast() else { return nil }
            work.begun += 1
            return batch
        }
    }

    func end(_ judge: RowJudge) {
        work.withLock { work in
            work.judges.append(judge)
            work.begun -= 1
        }
        ended.signal()
    }

    func takeJudge() -> RowJudge? { work.withLock { $0.judges.popLast() } }
    func give(_ judge: RowJudge) { work.withLock { $0.judges.append(judge) } }

    func waitForOthers() { while work.withLock({ $0.begun > 0 }) { ended.wait() } }
}

/// Copies of some rows.
private struct JudgingBatch: Sendable {
    private struct Row {
        var id: RecipientID
        var (owner, line): (Int, Int)
        var (keySize, size): (Int, Int)
    }

    private var rows: [Row] = []
    private var bytes: [UInt8] = []

    /// - Parameter size: how many bytes are expected.
    init(size: Int) {
        rows.reserveCapacity(size / 48)
        bytes.reserveCapacity(size)
    }

    var size: Int { bytes.count }

    mutating func append(_ row: ValueFile.Row, of owner: Int) {
        rows.append(
            Row(
                id: row.id, owner: owner, line: row.line, keySize: row.key.count, size: row.key.count + row.bytes.count)
        )
        bytes.append(contentsOf: row.key)
        bytes.append(contentsOf: row.bytes)
    }

    /// Calls `body` with each row and the place of its owner.
    func each(_ body: (ValueFile.Row, Int) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            var place = 0
            for row in rows {
                let (keyEnd, end) = (place + row.keySize, place + row.size)
                body(
                    ValueFile.Row(
                        id: row.id, key: .init(.init(rebasing: bytes[place..<keyEnd])), line: row.line,
                        bytes: .init(rebasing: bytes[keyEnd..<end])),
                    row.owner)
                place = end
            }
        }
    }
}

/// What one core has judged.
private struct RowJudge: Sendable {
    /// By campaign.
    private(set) var judged: [JudgedRows]
    private let messages: [PersonalMessages]
    private let places: [FieldPlaces]
    /// The campaigns that go to an owner's rows, by the owner's place.
    private let sends: [[Int]]

    /// - Parameter isAlone: whether no other core judges rows of the same campaigns. Cores that count references to the
    ///   same values wait for each other.
    init(_ sends: [RowJudging.Send], _ owners: [ValueNeed.Owner], isAlone: Bool) {
        messages = sends.map { isAlone ? $0.messages : $0.messages.copied }
        judged = sends.map { JudgedRows($0.messages) }
        places = sends.map { send in
            let columns = owners.first { $0.owner == send.owner }?.columns ?? []
            return FieldPlaces(of: send.messages.content.fields, among: columns)
        }
        self.sends = owners.map { owner in sends.indices.filter { sends[$0].owner == owner.owner } }
    }

    mutating func judge(_ batch: JudgingBatch) {
        batch.each { row, owner in
            for send in sends[owner] {
                places[send].pick(from: row) { judged[send].judge($0, messages[send]) }
            }
        }
    }

    mutating func add(_ other: RowJudge) {
        for place in judged.indices { judged[place].add(other.judged[place]) }
    }
}
