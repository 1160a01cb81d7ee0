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

    /// What the last run's guards refused. An older herald, whose reports have no stamp, went on from there all the same:
    /// it noted the size of the refused list, and let others join a topic or group that many were to leave.
    ///
    /// - Parameter noted: the sizes that the state has.
    /// - Returns: how many recipients such audiences, and topics and groups (`topic 'news'`), had before.
    func refusedLast(of lineage: String, noted: [String: Int]) -> (audiences: [String: Int], members: [String: Int]) {
        var (audiences, members): ([String: Int], [String: Int]) = ([:], [:])
        guard let last = last(of: lineage, containing: "guard ") else { return (audiences, members) }
        let number = { (text: Substring) in Int(text.filter { $0 != "," }) }
        let size = #/guard audience_\w+: audience '(.+?)' \w+ from ([0-9,]+) to ([0-9,]+) /#
        let leaving = #/guard max_unsubscribe_percent: [0-9,]+ would leave (.+?), [0-9]+ % of the ([0-9,]+) /#
        for words in last.steps.compactMap(\.stopped?.words) {
            if let found = words.firstMatch(of: leaving), let all = number(found.2) {
                members[String(found.1)] = all
            } else if last.state?.stamp == nil, let found = words.firstMatch(of: size), let was = number(found.2),
                let became = number(found.3), noted[String(found.1)] == became
            {
                audiences[String(found.1)] = was
            }
        }
        return (audiences, members)
    }

    /// The newest report of a real run on this state, if it contains that.
    private func last(of lineage: String, containing part: String) -> Report? {
        let text = Data(lineage.utf8)
        for name in names.sorted(by: >).prefix(Self.mostSearched) {
            guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)"), bytes.range(of: text) != nil,
                version(in: bytes)?.lineage == lineage
            else { continue }
            return bytes.range(of: Data(part.utf8)) == nil ? nil : try? ReportDocument(reading: Array(bytes)).report
        }
        return nil
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
