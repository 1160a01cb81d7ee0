import FCM
import Foundation
import HeraldCore

/// The reports in the folder beside the state.
struct SavedReports {
    private let folder: String

    /// Reports are named after the time at which their run began. Serials grow, so that the newest reports tell enough.
    private static let newest = 20

    init(in folder: String) { self.folder = folder }

    /// The highest serial that a report of this state has. Reports of older heralds have none.
    func newestSerial(of lineage: String) -> Int64? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted(by: >).prefix(Self.newest)
            .compactMap { version(in: "\(folder)/\($0)") }
            .filter { $0.lineage == lineage }.map(\.serial).max()
    }

    /// When the newest report was written last. `nil` if there is none.
    var newestTime: Date? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard let newest = names.filter({ $0.hasSuffix(".json") }).max() else { return nil }
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(newest)")
        return attributes?[.modificationDate] as? Date
    }

    private func version(in path: String) -> StateVersion? {
        guard let bytes = FileManager.default.contents(atPath: path),
            let report = try? JSONValue(parsing: Array(bytes)),
            report["schema"] == "herald.report/1"
        else { return nil }
        return StateVersion(json: report["state"])
    }
}
