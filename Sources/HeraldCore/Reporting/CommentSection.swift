/// A part of a comment on a pull request: a title, and as many of its entries as fit. The others are counted.
struct CommentSection {
    struct Entry {
        var text: String
        /// What stands for it where it does not fit. `nil` if it is only counted then.
        var short: String?
    }

    let title: String
    /// What comes before the entries, such as a table's head.
    var head = ""
    var entries: [Entry]
    /// The most bytes of its entries.
    var limit: Int
    /// Whether it may take what the others leave free.
    var takesRest = false

    /// GitHub takes 65,536 characters in a comment. Bytes are easy to count, and never fewer than characters.
    static let mostBytes = 60_000

    /// The most bytes that it takes to say what does not fit.
    private static let remarks = 150

    init(title: String, head: String = "", entries: [String], limit: Int) {
        (self.title, self.head, self.limit) = (title, head, limit)
        self.entries = entries.map { Entry(text: $0) }
    }

    private var top: String { "\n### \(title)\n\n\(head)" }

    /// The most bytes that it takes besides its entries.
    private var frame: Int { top.utf8.count + Self.remarks }

    /// The sections that have entries, in at most so many bytes.
    static func text(of sections: [CommentSection], within most: Int) -> String {
        var sections = sections.filter { !$0.entries.isEmpty }
        if let place = sections.firstIndex(where: \.takesRest) {
            var others = sections
            let section = others.remove(at: place)
            let free = most - fitted(others, within: most).utf8.count - section.frame
            sections[place].limit = max(section.limit, free)
        }
        return fitted(sections, within: most)
    }

    private static func fitted(_ sections: [CommentSection], within most: Int) -> String {
        var text = ""
        // No section loses its title and the number of its entries to those before it.
        var reserved = sections.reduce(0) { $0 + $1.frame }
        for section in sections {
            text += section.top + section.fitted(into: min(section.limit, most - reserved - text.utf8.count))
            reserved -= section.frame
        }
        return text
    }

    /// As many entries as fit, and what is left out. Where an entry has a short form, all after it have their short
    /// forms at least, as far as there is room for these.
    private func fitted(into room: Int) -> String {
        var text = ""
        var (shortened, omitted) = (0, 0)
        var reserved = entries.reduce(0) { $0 + ($1.short?.utf8.count ?? 0) }
        for entry in entries {
            let short = entry.short
            reserved -= short?.utf8.count ?? 0
            // Once an entry does not fit at all, none after it is shown.
            if omitted == 0, text.utf8.count + entry.text.utf8.count + reserved <= room {
                text += entry.text
            } else if omitted == 0, let short, text.utf8.count + short.utf8.count <= room {
                text += short
                if short != entry.text { shortened += 1 }
            } else {
                omitted += 1
            }
        }
        if shortened > 0 { text += "\nDetails of \(shortened.grouped) do not fit here: plan.json has all of them.\n" }
        if omitted > 0 { text += "\n… and \(omitted.grouped) more that do not fit here.\n" }
        return text
    }
}

extension PlanDocument.Comparison {
    /// Each change with what it consists of, and before them what readers must know. Whatever changed is named.
    var section: CommentSection {
        let nothing = changes.isEmpty ? ["Nothing: the files decide the same as before.\n"] : []
        let notes = warnings.map { "- \($0.inMarkdown)\n" } + nothing
        var section = CommentSection(title: "What the files change", entries: [], limit: 18_000)
        section.entries = notes.map { CommentSection.Entry(text: $0, short: $0) } + changes.map(Self.entry)
        section.takesRest = true
        return section
    }

    private static func entry(_ change: WorkspaceChange) -> CommentSection.Entry {
        let (title, lines) = ("- **\(change.title.inMarkdown)**", lines(of: change))
        // What the settings change, such as a guard, holds for everything.
        let isWhole = change.kind == .settings || lines.isEmpty
        return CommentSection.Entry(text: "\(title)\n\(lines)", short: isWhole ? "\(title)\n\(lines)" : "\(title): …\n")
    }

    /// In bytes. A long change cannot push others out of the comment, and cannot hide its own end.
    private static let longestChange = 6_000

    private static func lines(of change: WorkspaceChange) -> String {
        var text = ""
        let lines = change.lines.map { "  - \($0.inMarkdown)\n" }
        for (number, line) in lines.enumerated() {
            if text.utf8.count + line.utf8.count > longestChange {
                return text + "  - … and \(count(lines.count - number, "field")) more: plan.json has all of them\n"
            }
            text += line
        }
        return text
    }
}
