import FCM
import Foundation
import HeraldCore
import HeraldStore

/// What is known of a state outside of it: a small file beside the reports. A state that lacks one of its stamps went
/// back, or is another copy.
struct Witness {
    /// The last stamp. There are several if a state that lacks the earlier ones was changed.
    private(set) var stamps: [Stamp] = []
    /// The folder of the workspace that a run was for last.
    private(set) var workspace: String?

    private let path: String
    private let folder: String

    private static let schema = "herald.witness/1"
    /// A person makes a few copies at most.
    private static let most = 16

    /// Reads it. Without a file it knows nothing.
    init(of lineage: String, in folder: String) {
        self.folder = folder
        // The lineage comes from the state, which may be damaged.
        let name = String(lineage.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(64))
        path = "\(folder)/state-\(name).witness"
        read()
    }

    private mutating func read() {
        guard let bytes = FileManager.default.contents(atPath: path),
            let json = try? JSONValue(strictly: Array(bytes), depth: 100), json["schema"]?.string == Self.schema
        else { return }
        stamps = (json["stamps"]?.array ?? []).compactMap { Stamp(json: $0) }
        workspace = json["workspace"]?.string
    }

    /// Notes the state's last stamp. Stamps that the state lacks stay until a person accepts the state as it is.
    ///
    /// - Parameters:
    ///   - lost: One that the state lacks, as is known from another folder.
    ///   - workspace: The folder of the files, if they were compared with the state.
    mutating func note(_ known: Stamps, lost: Stamp? = nil, workspace: String? = nil) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PrivateFile.Failure() }
        defer { close(descriptor) }
        // A person may pause while a run begins. Some file systems have no locks; then the later one counts.
        _ = flock(descriptor, LOCK_EX)
        read()
        let lacking = (stamps + [lost].compactMap(\.self)).filter { known.lack($0) }
        stamps = (lacking + [known.last].compactMap(\.self)).suffix(Self.most)
        self.workspace = workspace ?? self.workspace
        try PrivateFile.write(json.prettyText, to: path)
        // Makes the new name survive a power cut, if the file system can do that.
        _ = syncToDisk(descriptor)
    }

    private var json: JSONValue {
        [
            "schema": .string(Self.schema), "stamps": .array(stamps.map(\.json)),
            "workspace": workspace.map { .string($0) } ?? .null,
        ]
    }
}

extension Witness {
    /// Notes outside of the state what was committed to it. A failure must not hide that it was.
    ///
    /// - Parameters:
    ///   - lost: A stamp that the state lacks, as is known from another folder.
    ///   - folder: Where its reports are.
    ///   - workspace: The folder of the files, if they were compared with the state.
    static func note(
        _ history: History, lost: Stamp? = nil, in folder: String, workspace: String? = nil, _ console: Console
    ) {
        var witness = Witness(of: history.lineage, in: folder)
        do { try witness.note(history.stamps, lost: lost, workspace: workspace) } catch {
            console.error(
                "herald: nothing could be noted in \(folder); if an older copy of the state is put back now, "
                    + "herald may not see it\n")
        }
    }
}

extension CommandContext {
    /// The same, where the settings say that the state is.
    func witness(_ history: History, workspace: String? = nil) {
        Witness.note(history, in: state.reports, workspace: workspace, console)
    }
}

extension StateChange {
    /// A new stamp for one commit.
    static func newStamp(outgrowing number: Int64? = nil) -> StateChange {
        .stamp(UUID().uuidString.lowercased(), outgrowing: number)
    }
}
