import Foundation

/// The folder of a life: a workspace with its state, a second checkout of it, and backups. In memory where the system
/// has such a place: lives cut no power.
final class LifeFolder {
    let path: String
    private var written: [String: String] = [:]

    var workspace: String { "\(path)/workspace" }
    /// Another checkout of the same files, which shares the state.
    var checkout: String { "\(path)/checkout" }
    /// The folder of the state, by another name.
    private var link: String { "\(path)/link" }
    /// The state, by another path.
    var linkedState: String { "\(link)/state.sqlite" }

    private var data: String { "\(workspace)/.herald" }
    var state: String { "\(data)/state.sqlite" }
    private var backup: String { "\(path)/backup.sqlite" }
    private var remains: String { "\(path)/remains" }

    private static let memory = "/dev/shm"

    static func path(of seed: UInt64) -> String {
        let isInMemory = FileManager.default.isWritableFile(atPath: memory)
        return "\(isInMemory ? memory : NSTemporaryDirectory())/herald-life-\(getpid())-\(seed)"
    }

    init(seed: UInt64) throws {
        path = Self.path(of: seed)
        try? FileManager.default.removeItem(atPath: path)
        for folder in [data, "\(workspace)/lists", "\(checkout)/lists"] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: data)
    }

    /// For what the life's own thread calls later.
    struct Box: @unchecked Sendable { let value: LifeFolder }
    var box: Box { Box(value: self) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes what changed, into both checkouts.
    func write(_ texts: [String: String]) throws {
        for (name, text) in texts where written[name] != text {
            for folder in [workspace, checkout] {
                try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"), options: .atomic)
            }
        }
        for name in written.keys where texts[name] == nil {
            for folder in [workspace, checkout] { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        }
        written = texts
    }

    var snapshot: String { "\(path)/snapshot.json" }

    func readSnapshot() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: snapshot))) }

    var savedPlan: String { "\(path)/plan.json" }
    var hasPlan: Bool { FileManager.default.fileExists(atPath: savedPlan) }

    /// What `plan --out` is told to write.
    func newPlan() -> String {
        try? FileManager.default.removeItem(atPath: savedPlan)
        return savedPlan
    }

    /// What `state backup` is told to write.
    func newBackup() -> String {
        try? FileManager.default.removeItem(atPath: backup)
        return backup
    }

    /// Puts the backup in the state's place, as a person does. Returns whether there is one.
    func restore() throws -> Bool {
        guard FileManager.default.fileExists(atPath: backup) else { return false }
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: state + end) }
        try FileManager.default.copyItem(atPath: backup, toPath: state)
        return true
    }

    /// Called when the process dies: whatever it writes from now on was never written. The state sees to itself.
    func noteDeath() {
        try? FileManager.default.removeItem(atPath: remains)
        try? FileManager.default.createDirectory(atPath: remains, withIntermediateDirectories: true)
        for name in besideState {
            try? FileManager.default.copyItem(atPath: "\(data)/\(name)", toPath: "\(remains)/\(name)")
        }
    }

    func leaveRemains() throws {
        for name in besideState { try FileManager.default.removeItem(atPath: "\(data)/\(name)") }
        for name in try FileManager.default.contentsOfDirectory(atPath: remains) {
            try FileManager.default.moveItem(atPath: "\(remains)/\(name)", toPath: "\(data)/\(name)")
        }
    }

    private var besideState: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
        return names.filter { !$0.hasPrefix("state.sqlite") || $0.hasSuffix(".lock") }
    }
}
