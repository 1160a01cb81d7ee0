/// A small audience file to start from.
package struct AudienceTemplate: Hashable, Sendable {
    /// Where its list comes from.
    package enum Source: String, Hashable, Sendable, CaseIterable { case file, postgres, sqlite, https, command }

    package let name: String
    private let source: Source

    package init(name: String, source: Source) { (self.name, self.source) = (name, source) }

    /// - Parameter schema: the path from the file to the schema of audiences, for editors.
    package func draft(schema: String? = nil) -> ResourceDraft {
        var lines = schema.map { ["# yaml-language-server: $schema=\($0)"] } ?? []
        if source != .file {
            lines.append("# 'herald fetch' brings the list. 'plan', 'apply' and 'run' read what was fetched last.")
        }
        lines += ["kind: audience", "name: \(name.inYAML)", "source:"]
        lines += Self.lines(source, name).map { "  \($0)" }
        if source != .file {
            lines.append("  # fetch: {every: 6h, error_after: 24h}   # how often 'run' fetches, how old it may be")
        }
        lines.append("# fields: {first_name: {max: 40}}   # columns that messages may use")
        return ResourceDraft(name: name, text: lines.joined(separator: "\n") + "\n")
    }

    private static func lines(_ source: Source, _ name: String) -> [String] {
        let columns = "columns: {fid: fid, seen: last_seen}   # what the columns are called"
        switch source {
        case .file: return ["file: lists/\(name).csv   # with a column fid or token"]
        case .postgres:
            return [
                "postgres: \"${APP_DATABASE}\"   # the machine lists the variable in HERALD_SOURCE_VARS",
                "query: SELECT fid, last_seen FROM devices   # one SELECT, or the name of an .sql file", columns,
            ]
        case .sqlite:
            return [
                "sqlite: /srv/app/app.sqlite   # in the workspace, or in a folder that HERALD_SOURCE_PATHS names",
                "query: SELECT fid, last_seen FROM devices   # one SELECT, or the name of an .sql file", columns,
            ]
        case .https:
            return [
                "https: https://app.example.com/export/\(name).csv",
                "headers: {Authorization: \"Bearer ${APP_TOKEN}\"}   # the machine lists it in HERALD_SOURCE_VARS",
                columns,
            ]
        case .command:
            return [
                "command: [bq, query, --format=csv, \"SELECT fid, last_seen FROM app.devices\"]   # without a shell",
                "env: [GOOGLE_APPLICATION_CREDENTIALS]   # the machine lists it in HERALD_SOURCE_VARS", columns,
            ]
        }
    }
}
