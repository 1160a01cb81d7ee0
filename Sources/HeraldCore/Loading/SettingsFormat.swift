/// The format version that `herald.yaml` begins with.
struct SettingsFormat {
    let version: Int
    private let place: TextRange

    /// `nil` if it is no version that this herald reads.
    init?(_ node: Node, in fields: Fields, _ findings: inout Findings) {
        guard let version = fields.int("herald", in: 0...Int.max, &findings) else { return nil }
        let known = Settings.formatVersions
        guard known.contains(version) else {
            findings.error(
                .formatVersion, "this herald reads format versions \(known.lowerBound) and \(known.upperBound)",
                at: node.range)
            return nil
        }
        (self.version, place) = (version, node.range)
    }

    /// Reports what an older herald would take for something else, or would not find. With the newer version, the older
    /// herald refuses the file instead.
    ///
    /// - Parameter what: as the author wrote it, `'workspace'`.
    func require(_ needed: Int, for what: String, at range: TextRange, _ findings: inout Findings) {
        guard version < needed else { return }
        var problem = Diagnostic.error(
            .formatVersion, "\(what) needs format version \(needed)", at: findings.at(range),
            notes: [.init("this file has version \(version)", at: findings.at(place))], help: "write herald: \(needed)")
        problem.fix = .init("\(needed)", at: place)
        findings.diagnostics.append(problem)
    }
}
