internal import FCM

/// How things stand as a page.
extension StatusDocument {
    package var html: String { page() }

    /// - Parameter frame: The site that it is part of.
    func page(in frame: SiteFrame? = nil) -> String {
        Page.status.rendered(
            [
                "title": .string("herald status: \(headline)"), "headline": .string(headline),
                "tone": isCalm ? "good" : "bad",
                "facts": .facts([("workspace", workspace), ("as of", plan.at.rfc3339)]),
                "needs": .section(
                    "entries",
                    needs.map { ["sentence": .string($0.sentence), "command": .string($0.command)] }),
                "rows": .array(
                    rows.map { ["name": .string($0.title), "lines": .array($0.lines.map { .string($0) })] }),
            ], in: frame)
    }

    /// Whether somebody must do something.
    var headline: String {
        isCalm ? "Nothing needs you" : needs.count == 1 ? "1 thing needs you" : "\(needs.count.grouped) things need you"
    }
}
