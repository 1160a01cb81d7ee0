import CPowerCut
import HeraldTestSupport

/// What SQLite did to a file, without the folder in its name.
struct DiskOperation {
    enum Kind {
        case write(at: Int, [UInt8])
        case truncate(to: Int)
        /// All that was done to the file before is on the disk.
        case sync
        case delete
    }

    var file: String
    var kind: Kind

    /// All that was recorded since `power_cut_record`.
    static func recorded() -> [DiskOperation] {
        (0..<power_cut_count()).map { index in
            let operation = power_cut_at(index)
            let bytes = Array(UnsafeBufferPointer(start: operation.bytes, count: operation.count))
            let kind: Kind =
                switch operation.kind {
                case POWER_CUT_WRITE: .write(at: Int(operation.offset), bytes)
                case POWER_CUT_TRUNCATE: .truncate(to: Int(operation.offset))
                case POWER_CUT_SYNC: .sync
                default: .delete
                }
            return DiskOperation(file: String(cString: operation.file), kind: kind)
        }
    }
}

/// What a disk holds of a folder's files when the power goes: all that was synced, and of the rest as much as chance
/// has it.
struct Disk {
    /// What becomes of operations that were not synced.
    enum Loss: CaseIterable {
        /// None of them reached the disk.
        case everything
        /// Some first ones of each file did, and a part of the next.
        case tail
        /// Any sectors of any of them did, in whatever order.
        case sectors
        /// All of them did, as after kill -9.
        case nothing
    }

    private(set) var files: [String: [UInt8]]
    /// By file, in their order.
    private var unsynced: [String: [DiskOperation.Kind]] = [:]

    init(_ files: [String: [UInt8]]) { self.files = files }

    mutating func perform(_ operation: DiskOperation) {
        if case .sync = operation.kind {
            for kind in unsynced.removeValue(forKey: operation.file) ?? [] { apply(kind, to: operation.file) }
        } else {
            unsynced[operation.file, default: []].append(operation.kind)
        }
    }

    /// The power goes.
    ///
    /// - Parameter sector: how many bytes the disk writes whole.
    mutating func cut(_ loss: Loss, sector: Int, using random: inout SeededRandom) {
        for (file, kinds) in unsynced.sorted(by: { $0.key < $1.key }) {
            let kept =
                switch loss {
                case .everything: 0
                case .tail: Int.random(in: 0...kinds.count, using: &random)
                case .sectors, .nothing: kinds.count
                }
            for kind in kinds[..<kept] {
                guard survive(kind, in: file, torn: loss == .sectors ? sector : nil, using: &random) else { break }
            }
            if loss == .tail, kept < kinds.count {
                _ = survive(kinds[kept], in: file, torn: sector, using: &random)
            }
        }
        unsynced = [:]
    }

    /// - Parameter torn: the size of the sectors of which each is written or not; absent where all are.
    /// - Returns: whether what comes after it happened to the same file.
    private mutating func survive(
        _ kind: DiskOperation.Kind, in file: String, torn: Int?, using random: inout SeededRandom
    ) -> Bool {
        guard let torn else {
            apply(kind, to: file)
            return true
        }
        switch kind {
        case .write(let offset, let bytes):
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, (offset + start) / torn * torn + torn - offset)
                if Bool.random(using: &random) {
                    apply(.write(at: offset + start, Array(bytes[start..<end])), to: file)
                }
                start = end
            }
            return true
        case .truncate:
            if Bool.random(using: &random) { apply(kind, to: file) }
            return true
        case .delete:
            // What was written to a new file of the name is lost where the name still is the old one's.
            let isGone = Bool.random(using: &random)
            if isGone { apply(kind, to: file) }
            return isGone
        case .sync: return true
        }
    }

    private mutating func apply(_ kind: DiskOperation.Kind, to file: String) {
        switch kind {
        case .write(let offset, let bytes):
            let missing = offset + bytes.count - files[file, default: []].count
            // What was never written reads as zeros.
            if missing > 0 { files[file, default: []] += [UInt8](repeating: 0, count: missing) }
            files[file]?.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        case .truncate(let count):
            let length = files[file, default: []].count
            if count < length { files[file]?.removeLast(length - count) }
        case .delete: files[file] = nil
        case .sync: break
        }
    }
}
