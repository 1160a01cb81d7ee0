internal import FCM

extension ColumnNames {
    /// What to do about a header that has no column of registrations.
    func help(on columns: [String]) -> String {
        columns.otherSeparator ?? advice(on: columns)
            ?? "say beside 'file' which column has the tokens or the fids, as in columns: {token: push_id}; "
            + "columns are separated by commas"
    }

    /// What to write if one of a list's other columns probably has the registrations.
    func advice(on columns: [String]) -> String? {
        let words: [(kind: String, words: [String])] = [
            ("token", ["token"]), ("fid", ["fid", "installation", "instanceid"]), ("token", ["registration", "regid"]),
        ]
        for (kind, words) in words {
            for column in columns where column.isColumnName && !holdsRegistrations(column) {
                let plain = column.lowercased().filter { $0.isLetter || $0.isNumber }
                guard words.contains(where: plain.contains) else { continue }
                return "if they are in '\(column)', write columns: {\(kind): \(column.inYAML)} beside 'file'"
            }
        }
        return nil
    }
}

extension [String] {
    /// What to do if these columns seem to be one only because something else than commas separates them.
    fileprivate var otherSeparator: String? {
        guard count == 1, let text = first?.unicodeScalars else { return nil }
        let separator: String? = text.contains(";") ? "';'" : text.contains("\t") ? "tabs" : nil
        return separator.map { "its columns are separated by \($0): herald takes commas" }
    }
}

extension String {
    /// Whether the text may be shown as the name of a column. In a file without a header it is a person's data.
    fileprivate var isColumnName: Bool {
        utf8.count <= 64 && Registration.masking(self) == self
            && unicodeScalars.allSatisfy { $0 != "@" && $0 != ";" && $0.properties.generalCategory != .control }
    }
}

extension Diagnostic {
    /// A column that an audience names and its list does not have.
    static func missingColumn(
        _ column: Located<String>, of list: String, among columns: [String], advice: inout Advice
    ) -> Diagnostic {
        let isHeader = columns.allSatisfy(\.isColumnName)
        let near = isHeader ? advice.nearest(to: column.value, among: columns) : nil
        let shown = columns.prefix(20).joined(separator: ", ") + (columns.count > 20 ? ", …" : "")
        return .error(
            .listColumn, "'\(list)' has no column '\(column.value)'", at: column.range,
            help: columns.otherSeparator
                ?? (near.map { "did you mean '\($0)'? " } ?? "")
                    + (isHeader ? "it has: \(shown)\(list.fetchAdvice)" : "its first line does not look like a header"),
            replacement: near?.inYAML)
    }
}
