internal import FCM

extension DriftDocument {
    package func text(_ style: TextStyle) -> String {
        var text = sentences.map { $0.printable + "\n" }.joined()
        let cells = rows.map { [$0.topic.rawValue.printable] + figures(of: $0) }
        if !cells.isEmpty { text += "\n" + Self.table([Self.head] + cells, style) }
        for row in rows where isSample {
            for line in shareLines(row) { text += "\(row.topic.rawValue.printable): \(line)\n" }
        }
        for failure in failures {
            text +=
                "\n\(style.red(failure.code.printable)): \(count(failure.count, "registration")) could not be asked for: "
                + "\(failure.message.printable)\n"
        }
        let advice = advice
        if !advice.isEmpty { text += "\n" + advice.map { $0.printable + "\n" }.joined() }
        return text
    }

    private static let head = ["topic", "same", "left", "foreign", "dead", "not asked", "failed", "oldest answer"]

    /// Numbers to the right, words to the left.
    private static func table(_ rows: [[String]], _ style: TextStyle) -> String {
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var text = ""
        for (place, row) in rows.enumerated() {
            let cells = zip(row, widths).enumerated().map { column, cell in
                let isWords = column == 0 || column == head.count - 1
                let fill = String(repeating: " ", count: cell.1 - cell.0.count)
                return isWords ? cell.0 + fill : fill + cell.0
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            text += (place == 0 ? style.faint(line) : line) + "\n"
        }
        return text
    }

    private func figures(of row: Row) -> [String] {
        let found = row.found
        return [found.same, found.left.count, found.foreign.count, found.dead, row.notAsked, found.failed].map(
            \.grouped)
            + [age(of: row)]
    }

    private func age(of row: Row) -> String {
        if row.never > 0 { return "never (\(row.never.grouped))" }
        guard let oldest = row.oldest else { return "–" }
        if oldest >= RecordedState.observationTime(frame.started) { return "now" }
        return "\(Duration.seconds(max(0, frame.finished.timeIntervalSince(oldest))).roughText) ago"
    }

    /// `left 3.1 % (2.2 % to 4.4 %)`
    private func shareLines(_ row: Row) -> [String] {
        let shares = shares(row)
        let words = ["same", "left", "foreign", "dead"].compactMap { name in
            shares[name].flatMap { $0 }.map { share in
                "\(name) \(share.share.percentText) (\(share.low.percentText) to \(share.high.percentText))"
            }
        }
        return words.isEmpty ? [] : [words.joined(separator: ", ")]
    }

    // MARK: Words

    var sentences: [String] {
        let asked = figures.asked.count
        var text =
            "Asked FCM about \(asked.grouped) of \(count(frame.everybody, "registration")), with "
            + "\(count(report.requests, "request")) in \(report.duration.roughText): "
        text += comparison
        if !figures.dead.isEmpty { text += "; \(figures.dead.count.grouped) dead" }
        if !figures.failed.isEmpty { text += "; \(figures.failed.count.grouped) could not be asked for" }
        if frame.everybody == 0 { text = "The state has no subscriptions to ask about." }
        var sentences = [text + (text.hasSuffix(".") ? "" : ".")]
        if let reason { sentences.append("It ended early: \(reason).") }
        if let seed = frame.seed {
            sentences.append(
                "A sample with the seed '\(seed)'. In brackets: where the true share lies in 95 of 100 samples.")
        }
        if let pass = frame.pass, pass.isContinued {
            sentences.append(
                "It went on with the pass begun at \(pass.began.rfc3339), in which \(pass.before.count.grouped) were "
                    + "asked for before.")
        }
        return sentences
    }

    /// How those who were asked for compare with the state.
    private var comparison: String {
        let (drifted, answered) = (figures.drifted, figures.answered)
        if hasDrift { return "\(drifted.grouped) \(drifted == 1 ? "differs" : "differ") from the state" }
        if answered == 0 { return "FCM told of none of them which topics they follow" }
        if answered == figures.asked.count { return "they are as the state has them" }
        return answered == 1 ? "1 is as the state has it" : "\(answered.grouped) are as the state has them"
    }

    /// What follows from it.
    var advice: [String] {
        var advice: [String] = []
        if frame.pass != nil, !isComplete, frame.everybody > 0 {
            advice.append("The next call goes on where this one stopped.")
        }
        if frame.hasTooManyDead {
            advice.append(
                "\(figures.answered == 0 ? "Dead registrations without any other answer" : "So many dead registrations") "
                    + "are not believed: wrong credentials, or a wrong project, make everybody look dead. Nobody was "
                    + "forgotten. 'herald doctor' looks at both.")
        }
        guard let recorded = frame.recorded else {
            if hasDrift {
                advice.append("Nothing of it is in the state. With --record the state learns who has left.")
            }
            return advice
        }
        for row in rows where !row.found.left.isEmpty {
            let next =
                recorded.restoring.contains(row.topic)
                ? "apply subscribes those of them again whom lists still name (drift: restore)."
                : recorded.keepingSuppressed.contains(row.topic)
                    ? "plan leaves them out (drift: keep), but for those who are suppressed: they join again."
                    : "plan leaves them out (drift: keep)."
            advice.append("\(row.topic): \(row.found.left.count.grouped) recorded as left. The next \(next)")
        }
        if recorded.forgotten > 0 {
            advice.append("\(count(recorded.forgotten, "dead registration")) forgotten: no plan uses them any more.")
        }
        if figures.foreign > 0 {
            advice.append(
                "Foreign subscriptions are never taken over by themselves. 'herald import topic' records them.")
        }
        return advice
    }

    // MARK: Markdown

    /// For an issue or a comment.
    package var markdown: String {
        var text = "## herald drift: \(title)\n\n" + sentences.map { $0.inMarkdown + "\n" }.joined()
        if !rows.isEmpty {
            text += "\n| \(Self.head.joined(separator: " | ")) |\n|---|\(String(repeating: "--:|", count: 6))---|\n"
        }
        var omitted = 0
        for row in rows {
            let line = "| \(([row.topic.rawValue.inCell] + figures(of: row)).joined(separator: " | ")) |\n"
            if text.utf8.count + line.utf8.count < Self.markdownLimit { text += line } else { omitted += 1 }
        }
        if omitted > 0 { text += "\n… and \(count(omitted, "more topic")) that do not fit here.\n" }
        for row in rows where isSample {
            for line in shareLines(row) where text.utf8.count < Self.markdownLimit {
                text += "\n- \(row.topic.rawValue.inMarkdown): \(line)"
            }
        }
        if isSample { text += "\n" }
        for failure in failures where text.utf8.count < Self.markdownLimit {
            text +=
                "\n- \(failure.code.inMarkdown): \(count(failure.count, "registration")), "
                + "\(failure.message.inMarkdown)\n"
        }
        let advice = advice
        if !advice.isEmpty { text += "\n" + advice.map { "\($0.inMarkdown)\n" }.joined() }
        return text
    }

    /// GitHub takes 65,536 characters in a comment. There must be room for what follows.
    private static let markdownLimit = 50_000

    private var title: String {
        switch result {
        case "agreement": "FCM is as the state has it"
        case "drift": "FCM differs from the state"
        case "refused": "too many registrations look dead"
        case "interrupted": "stopped before it was done"
        default: "some could not be asked for"
        }
    }
}

extension Double {
    /// A share as people read it: `3.1 %`.
    package var percentText: String {
        let tenths = Int((self * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }
}

/// How drift is shown.
package enum DriftFormat: String, CaseIterable, Sendable {
    case text, json, markdown
}

extension DriftDocument {
    /// The only switch over these formats. The result ends with a line break.
    package func rendered(as format: DriftFormat, _ style: TextStyle = .plain) -> String {
        switch format {
        case .text: text(style)
        case .json: json.prettyText
        case .markdown: markdown
        }
    }
}
