import Foundation
import HeraldCore

/// The file of `--metrics`, as the run before left it.
enum MetricsFile {
    /// When a run of the project last ended well. `nil` if there is no such file, or if it does not say it.
    static func lastSuccess(in path: String, project: String) -> Date? {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolved)
        // Reading a pipe could take forever, and no run writes so much.
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            let size = attributes?[.size] as? Int, size <= 1 << 24,
            let data = FileManager.default.contents(atPath: resolved)
        else { return nil }
        return MetricsDocument.lastSuccess(in: String(decoding: data, as: UTF8.self), project: project)
    }
}
