import FCM
import Foundation
import HeraldCore

/// Where `herald doctor` leaves what it found, for `status` and the site: a file beside the state, or in `.herald`.
struct CheckupFile {
    private let path: String

    init(_ context: CommandContext) {
        path = context.settings.cachePath(in: context.files.folder, context.common.environment) + ".doctor"
    }

    /// `nil` if doctor did not look here yet.
    func read() -> RecordedCheckup? {
        guard let file = FileHandle(forReadingAtPath: path), let bytes = try? file.read(upToCount: 64 << 10),
            let json = try? JSONValue(strictly: Array(bytes), depth: 4)
        else { return nil }
        return RecordedCheckup(json: json)
    }

    /// Nothing depends on it, so a folder that is not there or may not be written to is no failure.
    func write(_ document: DoctorDocument, at now: Date) {
        try? PrivateFile.write(document.recorded(at: now).json.prettyText, to: path)
    }
}
