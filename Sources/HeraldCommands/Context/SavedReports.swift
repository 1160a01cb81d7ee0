import FCM
import Foundation
import HeraldCore

/// The reports in the folder beside the state.
struct SavedReports {
    private let folder: String

    /// How many reports of a state are read. They are named after the time at which their run began, so that the newest
    /// tell enough.
    private static let newest = 20

    init(in folder: String) { self.folder = folder }

    /// Whether a run has one there. One that had nothing to do, or could not begin, has none.
    func has(_ run: String) -> Bool { FileManager.default.fileExists(atPath: "\(folder)/\(run).json") }

    /// What the newest reports say of this state. Those of other states, of tests and of dry runs do not count.
    func versions(of lineage: String) -> [StateVersion] {
        var found: [StateVersion] = []
        // Most others are left out without being read as JSON.
        let text = Data(lineage.utf8)
        for name in names.sorted(by: >) {
            guard found.count < Self.newest else { break }
            guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)"), bytes.range(of: text) != nil,
                let version = version(in: bytes), version.lineage == lineage
            else { continue }
            found.append(version)
        }
        return found
    }

    /// The newest reports of real runs on this state. What cannot be read is left out.
    func reports(of lineage: String) -> [ReportDocument] {
        var found: [ReportDocument] = []
        let text = Data(lineage.utf8)
        for name in names.sorted(by: >) where found.count < Self.mostShown {
            guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)"), bytes.range(of: text) != nil,
                let document = try? ReportDocument(reading: Array(bytes)), !document.report.isDryRun,
                document.report.state?.lineage == lineage
            else { continue }
            found.append(document)
        }
        return found
    }

    /// Those of the newest reports that have outcomes which could not be written to the state, with their files. The oldest
    /// comes first.
    func unwritten(to lineage: String) -> [(path: String, report: Report)] {
        var found: [(path: String, report: Report)] = []
        // No other report has that key.
        let (text, key) = (Data(lineage.utf8), Data("\"unrecorded\"".utf8))
        for name in names.sorted(by: >).prefix(Self.mostSearched) {
            let path = "\(folder)/\(name)"
            guard let bytes = FileManager.default.contents(atPath: path), bytes.range(of: key) != nil,
                bytes.range(of: text) != nil, let report = try? ReportDocument(reading: Array(bytes)).report,
                report.state?.lineage == lineage
            else { continue }
            found.append((path, report))
        }
        return found.reversed()
    }

    /// What a state of an older herald must learn. It went on from what its guards had refused: it noted the size of a
    /// refused list, and let others join a topic or group that many were to leave. The report of its last run says what
    /// there was before. Such a state has no stamp, and gets one with these changes.
    func corrections(of recorded: RecordedState) -> [StateChange] {
        guard recorded.stamps.last == nil,
            let last = reports(of: recorded.identity.lineage).first?.report, last.state?.stamp == nil
        else { return [] }
        var (sizes, members): ([String: Int], [String: Int]) = ([:], [:])
        let number = { (text: Substring) in Int(text.filter { $0 != "," }) }
        let size = #/guard audience_\w+: audience '(.+?)' \w+ from ([0-9,]+) to ([0-9,]+) /#
        let leaving = #/guard max_unsubscribe_percent: [0-9,]+ would leave (.+?), [0-9]+ % of the ([0-9,]+) /#
        // Whoever can write a file there must not keep a run busy with it.
        for words in last.steps.compactMap(\.stopped?.words) where words.utf8.count < 1000 {
            if let found = words.prefixMatch(of: leaving), let all = number(found.2) {
                members[String(found.1)] = all
            } else if let found = words.prefixMatch(of: size), let was = number(found.2),
                let became = number(found.3), recorded.audienceSizes[String(found.1)] == became
            {
                sizes[String(found.1)] = was
            }
        }
        return (sizes.isEmpty ? [] : [.audienceSizes(recorded.audienceSizes.merging(sizes) { $1 })])
            + (members.isEmpty ? [] : [.refusedMembers(members)])
    }

    private static let mostShown = 30
    private static let mostSearched = 200

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".json") }
    }

    private func version(in bytes: Data) -> StateVersion? {
        guard let report = try? JSONValue(strictly: Array(bytes), depth: 100), report["schema"] == "herald.report/1"
        else { return nil }
        return StateVersion(json: report["state"])
    }
}
