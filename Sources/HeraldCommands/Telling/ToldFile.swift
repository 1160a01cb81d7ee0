import FCM
import Foundation
import HeraldCore

/// What people were told while no state could keep it. So who cannot reach the state is told once, and once when it is
/// there again. It is a file of the workspace, since the place of the state may be what is wrong.
struct ToldFile: Sendable {
    private let path: String
    private let settings: Settings

    init(_ context: CommandContext) {
        path = ".herald/told".absolute(in: context.files.folder.path)
        settings = context.settings
    }

    /// In the form of a state without anything else. `nil` if nobody was told. What makes no sense is as good as nothing.
    func read() -> RecordedState? {
        guard let file = FileHandle(forReadingAtPath: path), let bytes = try? file.read(upToCount: 1 << 20),
            let json = try? JSONValue(strictly: Array(bytes), depth: 9)
        else { return nil }
        var state = blank
        for note in [StateNote.told, .delivered] { state.notes[note] = json[note.rawValue]?.compactText }
        return state
    }

    /// The state of somebody whom nobody told anything.
    var blank: RecordedState {
        // No state has this name, so that no news of another one are the same.
        RecordedState(
            identity: .init(
                lineage: "outside \(path)", project: settings.project, endpoint: .emulator,
                created: Date(timeIntervalSince1970: 0)))
    }

    func write(_ state: RecordedState) throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let members = [StateNote.told, .delivered].compactMap { note in
            state.notes[note].flatMap { try? JSONValue(strictly: Array($0.utf8), depth: 8) }.map { (note.rawValue, $0) }
        }
        try PrivateFile.write(JSONValue.object(Dictionary(members) { first, _ in first }).compactText, to: path)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
