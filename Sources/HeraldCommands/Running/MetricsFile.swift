import Foundation
import HeraldCore

/// The file of `--metrics`.
enum MetricsFile {
    static func write(_ document: MetricsDocument, to path: String, _ console: Console) {
        do { try PrivateFile.write(document.text, to: path, mode: 0o644) } catch {
            console.error("herald: the metrics could not be written to \(path)\n")
        }
    }

    /// Notes that a run could not do its work. Otherwise the file would go on saying how the run before it ended.
    static func noteFailure(in path: String, project: String, at time: Date, _ console: Console) {
        let success = lastSuccess(in: path, project: project)
        write(MetricsDocument(failedAt: time, project: project, lastSuccess: success), to: path, console)
    }

    /// When a run of the project last ended well, as the run before left it. `nil` if there is no such file, or if it does
    /// not say it.
    static func lastSuccess(in path: String, project: String) -> Date? {
        let place = FilePlace(path)
        // No run writes so much.
        guard place.isFile, place.size <= 1 << 24, let data = FileManager.default.contents(atPath: place.path)
        else { return nil }
        return MetricsDocument.lastSuccess(in: String(decoding: data, as: UTF8.self), project: project)
    }
}
