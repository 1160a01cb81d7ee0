internal import Crypto
package import FCM

/// Mistakes for the reviewers of a pull request.
extension DiagnosticsDocument {
    /// GitLab's code quality report (docs.gitlab.com/ci/testing/code_quality, "Code Quality report format"). The same
    /// mistake keeps its fingerprint when lines above it change.
    package func codeQuality(in paths: RepositoryPaths) -> JSONValue {
        var known: [String: Int] = [:]
        return .array(
            diagnostics.map { diagnostic in
                let path = paths.path(of: diagnostic.range.file)
                let identity = "\(diagnostic.rule.rawValue)\0\(path)\0\(diagnostic.message)"
                let number = known[identity, default: 0]
                known[identity] = number + 1
                return [
                    "description": .string(diagnostic.message), "check_name": .string(diagnostic.rule.rawValue),
                    "fingerprint": .string(SHA256.hash(data: Array("\(identity)\0\(number)".utf8)).hexadecimal),
                    "severity": .string(diagnostic.severity.codeQuality),
                    "location": [
                        "path": .string(path),
                        "lines": ["begin": .int(Int64(diagnostic.range.text?.start.line ?? 1))],
                    ],
                ]
            })
    }

    /// How many mistakes a comment lists.
    private static let shown = 50

    /// A comment for files with mistakes, which have no plan.
    package func markdown(named workspace: String, in paths: RepositoryPaths) -> String {
        let errors = diagnostics.filter { $0.severity == .error }
        let head = PlanDocument.marker(workspace) + "## \(count(errors.count, "mistake")), so there is no plan\n\n"
        var (lines, rest) = ("", errors.count)
        for error in errors.prefix(Self.shown) {
            let line = Self.line(error, in: paths)
            // Leaves room to say how many are not here.
            guard head.utf8.count + lines.utf8.count + line.utf8.count + 200 <= CommentSection.mostBytes else { break }
            lines += line
            rest -= 1
        }
        return head + lines + (rest > 0 ? "\n… and \(rest) more; 'herald validate' shows them all.\n" : "")
    }

    private static func line(_ error: Diagnostic, in paths: RepositoryPaths) -> String {
        let help = error.help.map { "; \($0.inMarkdown)" } ?? ""
        return "- \(paths.place(of: error).inMarkdown): \(error.message.inMarkdown)\(help)\n"
    }
}

extension Diagnostic.Severity {
    fileprivate var codeQuality: String {
        switch self {
        case .error: "critical"
        case .warning: "minor"
        case .info: "info"
        }
    }
}
