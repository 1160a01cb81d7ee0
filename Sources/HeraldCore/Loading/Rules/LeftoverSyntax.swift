/// Explains values that YAML reads as something nobody meant: a template's braces, or a text that begins like an anchor
/// or a tag.
struct LeftoverSyntax {
    private let source: SourceText

    init(_ source: SourceText) { self.source = source }

    func explain(_ diagnostics: inout [Diagnostic]) {
        let wanted = diagnostics.indices.filter { index in
            let diagnostic = diagnostics[index]
            return (diagnostic.rule == .wrongType || diagnostic.rule == .nullValue)
                && diagnostic.range.text.map { $0.start.line == $0.end.line && $0.start < $0.end } == true
        }
        guard !wanted.isEmpty else { return }
        let lines = source.lines(Set(wanted.compactMap { diagnostics[$0].range.text?.start.line }), upTo: 4096)
        var explained: [TextRange] = []
        for index in wanted {
            guard let range = diagnostics[index].range.text, let line = lines[range.start.line] else { continue }
            let written = String(
                String.UnicodeScalarView(
                    line.unicodeScalars.prefix(range.end.column - 1).dropFirst(range.start.column - 1)))
            if diagnostics[index].rule == .wrongType, written.hasPrefix("{{") {
                diagnostics[index].help = "text that begins with {{ needs quotes: write \(written.quoted)"
                explained.append(range)
            } else if diagnostics[index].rule == .nullValue, let first = written.first, first == "&" || first == "!" {
                diagnostics[index].help = "text that begins with \(first) needs quotes: write \(written.quoted)"
                diagnostics[index].fix = .init(written.quoted, at: range)
                explained.append(range)
            }
        }
        guard !explained.isEmpty else { return }
        // YAML's own diagnostics about the same place add nothing.
        diagnostics.removeAll { diagnostic in
            guard diagnostic.rule == .yamlTag || diagnostic.rule == .wrongType, let range = diagnostic.range.text else {
                return false
            }
            return explained.contains { whole in
                diagnostic.rule == .yamlTag && whole == range
                    || whole.start < range.start && range.end <= whole.end
            }
        }
    }
}
