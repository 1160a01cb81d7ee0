import CPowerCut
import HeraldTestSupport

/// What SQLite did to a file, which is named without its folder.
struct DiskOperation {
    enum Kind {
        case write(at: Int, [UInt8])
        case truncate(to: Int)
        /// Everything done to the file before is now on the disk.
        case sync
        case delete
    }

    var file: String
    var kind: Kind

    /// Everything recorded since `power_cut_record`.
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

/// The files of a folder as a disk holds them after a power cut: everything that was synced, and a random part of the
/// rest.
struct Disk {
    /// What happens to operations that were not synced.
    enum Loss: CaseIterable {
        /// None of them reached the disk.
        case everything
        /// The first ones of each file reached it, and a part of the next.
        case tail
        /// Any sectors of any of them reached it, in any order.
        case sectors
        /// All of them reached it, as after kill -9.
        case nothing
    }

    private(set) var files: [String: [UInt8]]
    /// By file, in the order in which they were done.
    private var unsynced: [String: [DiskOperation.Kind]] = [:]

    init(_ files: [String: [UInt8]]) { self.files = files }

    mutating func perform(_ operation: DiskOperation) {
        if case .sync = operation.kind {
            for kind in unsynced.removeValue(forKey: operation.file) ?? [] { apply(kind, to: operation.file) }
        } else {
            unsynced[operation.file, default: []].append(operation.kind)
        }
    }

    /// Cuts the power.
    ///
    /// - Parameter sector: How many bytes the disk writes as a whole.
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

    /// - Parameter torn: The sector size, if each sector is either written or lost; absent if all are written.
    /// - Returns: Whether the operations after it are on the same file.
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
            // If the deletion is lost, so is what was written to a new file of that name: the name still leads to the
            // old file.
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
            // Bytes that were never written read as zeros.
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
