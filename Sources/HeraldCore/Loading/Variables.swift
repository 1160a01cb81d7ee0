/// `${VAR}`, `${VAR:-default}` and `$$` in a text.
package enum Variables {
    package enum Problem: Error, Hashable, Sendable {
        /// The environment has no such variable, and there is no default.
        case undefined(String)
        /// A `$` begins nothing.
        case stray
    }

    /// - Parameter report: is called for each mistake. What is undefined becomes nothing, and a stray `$` stays.
    package static func expand(
        _ text: String, _ environment: [String: String], _ report: (Problem) -> Void
    ) -> String {
        var expanded = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            expanded += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            if rest.first == "$" {
                expanded += "$"
                rest = rest.dropFirst()
            } else if let match = rest.prefixMatch(of: form) {
                let name = String(match.1)
                // As in a shell, `:-` treats an empty variable like an unset one.
                let value = match.2 != nil && environment[name] == "" ? nil : environment[name]
                if let value = value ?? match.2.map({ String($0) }) {
                    expanded += value
                } else {
                    report(.undefined(name))
                }
                rest = rest[match.range.upperBound...]
            } else {
                report(.stray)
                expanded += "$"
            }
        }
        return expanded + rest
    }

    /// What follows the `$`. Compiled once. Nothing can change it.
    nonisolated(unsafe) private static let form = #/\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/#
}
