internal import Crypto
internal import FCM

/// What people are told once: a change, or that something is well again (`herald.notice/1`). It holds no registration,
/// and what a message says only for a webhook that asks for it.
package struct Notice: Hashable, Sendable {
    /// The same for the same news, however often it is sent.
    package var id: String
    /// A word of `when`, or `well`.
    package var change: String
    /// The trouble that is well again.
    package var ended: Trouble?
    /// The troubles that it still has. Who knows of one of them is not told that it is well.
    package var others: Set<String> = []
    /// All that is in trouble, or well again, by `Need.keys`. Empty for other news, and if an older herald noted it.
    package var keys: Set<String> = []
    package var at: Date
    package var run: String
    /// `nil` if it is about no occurrence.
    package var occurrence: String?
    package var sentence: String
    /// What to type, if something is to be done.
    package var command: String?
    /// The occurrence's recipients by outcome. Empty if it is about none.
    package var figures: [String: Int]
    /// How many people the occurrence is for. `nil` if it is about no occurrence.
    package var recipients: Int?
    /// The digest of what the occurrence sends. `nil` if it is about none.
    package var content: String?
    /// Whether somebody only tries out whether it arrives.
    package var isTest = false

    /// What was told before.
    package struct Trouble: Hashable, Sendable {
        /// `Notice.change`
        package var change: String
        /// `Notice.id`
        package var id: String
    }

    /// Whether it says that something is in trouble, which is well again some day.
    package var isTrouble: Bool { ended == nil && !["sent", "missed", "well"].contains(change) }

    package var campaign: String? { occurrence.map { String($0.prefix { $0 != "@" }) } }

    /// Whether a webhook is to be told.
    package func concerns(_ webhook: Webhook) -> Bool {
        guard let word = Webhook.Change(rawValue: ended?.change ?? change), webhook.changes.contains(word) else {
            return isTest
        }
        guard others.isDisjoint(with: webhook.changes.map(\.rawValue)) else { return false }
        return recipients.map { $0 >= webhook.minRecipients } ?? true
    }

    /// Names its arrival at one webhook.
    package func key(for webhook: Webhook) -> String {
        "\(id) \(Self.id(in: webhook.address, webhook.form.rawValue))"
    }

    /// What a receiver checks a JSON document with: `t=UNIX,v1=HEX`, by HMAC-SHA256 of the time, a dot and the body.
    package static func signature(of body: String, _ secret: String, at now: Date) -> String {
        let time = String(Int64(now.timeIntervalSince1970))
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(time).\(body)".utf8), using: SymmetricKey(data: Array(secret.utf8)))
        return "t=\(time),v1=\(code.hexadecimal)"
    }

    /// News that only show whether news arrive.
    package static func test(of run: String, at now: Date) -> Notice {
        Notice(
            id: id(in: run, "test"), change: "well", at: now, run: run, occurrence: nil,
            sentence: "This is a test: 'herald notify --test' sent it.", command: nil, figures: [:], isTest: true)
    }

    /// - Parameters:
    ///   - state: the state that it is about. Two states have no news in common.
    ///   - parts: what makes this news differ from other news of the state.
    static func id(in state: String, _ parts: String...) -> String {
        let digest = SHA256.hash(data: Array(([state] + parts).joined(separator: "\0").utf8)).hexadecimal
        return String(digest.prefix(32))
    }

    // MARK: Its forms

    /// - Parameters:
    ///   - webhook: whom it is for.
    ///   - hasReport: whether there is a report of the run.
    ///   - texts: what the occurrence says, a line for each text.
    package func body(
        for webhook: Webhook, project: String, workspace: String, hasReport: Bool, texts: [String] = []
    ) -> String {
        let texts = webhook.showsText ? texts : []
        var webhook = webhook
        if !hasReport { webhook.reportURL = nil }
        switch webhook.form {
        case .json: return json(webhook, project, workspace, texts).compactText
        case .slack: return slack(webhook, project, workspace, texts).compactText
        }
    }

    private func reportURL(_ webhook: Webhook) -> String? {
        // Runs are named by herald: digits, letters and dashes.
        webhook.reportURL?.replacing("{run}", with: run)
    }

    private func json(_ webhook: Webhook, _ project: String, _ workspace: String, _ texts: [String]) -> JSONValue {
        var members: [String: JSONValue] = [
            "schema": "herald.notice/1", "id": .string(id), "change": .string(change), "time": .string(at.rfc3339),
            "project": .string(project), "workspace": .string(workspace), "run": .string(run),
            "campaign": campaign.map { .string($0) } ?? .null, "occurrence": occurrence.map { .string($0) } ?? .null,
            "sentence": .string(sentence), "command": command.map { .string($0) } ?? .null,
            "figures": .object(figures.mapValues { .int(Int64($0)) }),
        ]
        members["ended"] = ended.map { .string($0.change) }
        members["report_url"] = reportURL(webhook).map { .string($0) }
        if !texts.isEmpty { members["texts"] = .array(texts.map { .string($0) }) }
        if isTest { members["test"] = true }
        return .object(members)
    }

    /// Slack takes at most 3,000 characters in a block, after escaping
    /// (https://docs.slack.dev/reference/block-kit/blocks/section-block).
    private static let longestText = 2_900
    /// Slack shows so many texts, and says how many more there are.
    private static let mostTexts = 5

    /// Everything is escaped, so that no text of a file can call a channel, or look like a link.
    private func slack(_ webhook: Webhook, _ project: String, _ workspace: String, _ texts: [String]) -> JSONValue {
        let mark =
            isTest ? ":wave:" : change == "well" ? ":white_check_mark:" : change == "sent" ? ":mailbox:" : ":warning:"
        let word = ended.map { "well again (\($0.change))" } ?? change
        let place = workspace == "." ? project : "\(project)/\(workspace)"
        let head = "\(mark) *\(Self.escaped(word))*  \(Self.escaped(place))"
        let text = Self.escaped(sentence.printable)
        let numbers = figures.filter { $0.value > 0 }.sorted { $0.key < $1.key }
            .map { "\($0.value.grouped) \($0.key)" }.joined(separator: ", ")
        let link = reportURL(webhook).map { "<\(Self.escaped($0))|report of run \(Self.escaped(run))>" }
        let more = [Self.escaped(numbers), link ?? "run \(Self.escaped(run))"].filter { !$0.isEmpty }
        var blocks: [JSONValue] = [Self.section(head), Self.section(text)]
        if !texts.isEmpty {
            let shown = texts.prefix(Self.mostTexts)
            let longest = Self.longestText / (shown.count + 1)
            let quoted = shown.map { "> \(Self.escaped($0.printable, upTo: longest))" }
            let more = texts.count - quoted.count
            let lines = quoted + (more > 0 ? ["and \(count(more, "more text"))"] : [])
            blocks.append(Self.section(lines.joined(separator: "\n")))
        }
        if let command { blocks.append(Self.section("`\(Self.escaped(command.printable).replacing("`", with: "'"))`")) }
        blocks.append([
            "type": "context",
            "elements": [["type": "mrkdwn", "text": .string(more.joined(separator: "  |  "))]],
        ])
        return ["text": .string("\(head): \(text)"), "blocks": .array(blocks)]
    }

    private static func section(_ text: String) -> JSONValue {
        ["type": "section", "text": ["type": "mrkdwn", "text": .string(text)]]
    }

    /// As Slack says: only these three characters have a meaning of their own.
    ///
    /// - Parameter limit: in UTF-16 units. A longer text ends with `…` before it.
    private static func escaped(_ text: String, upTo limit: Int = longestText) -> String {
        var (escaped, length) = ("", 0)
        for character in text {
            // A mark may be combined with a letter.
            let next = character.unicodeScalars.map { scalar in
                switch scalar {
                case "&": "&amp;"
                case "<": "&lt;"
                case ">": "&gt;"
                default: String(scalar)
                }
            }.joined()
            length += next.utf16.count
            guard length < limit else { return escaped + "…" }
            escaped += next
        }
        return escaped
    }
}

// MARK: In the state

extension Notice {
    /// As the state keeps it until it has arrived.
    var kept: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "change": .string(change), "at": .double(at.timeIntervalSince1970), "run": .string(run),
            "sentence": .string(sentence), "figures": .object(figures.mapValues { .int(Int64($0)) }),
        ]
        if let ended { (members["ended"], members["trouble"]) = (.string(ended.change), .string(ended.id)) }
        if !keys.isEmpty { members["keys"] = .array(keys.sorted().map { .string($0) }) }
        if !others.isEmpty { members["others"] = .array(others.sorted().map { .string($0) }) }
        members["recipients"] = recipients.map { .int(Int64($0)) }
        members["occurrence"] = occurrence.map { .string($0) }
        members["command"] = command.map { .string($0) }
        members["content"] = content.map { .string($0) }
        return .object(members)
    }

    init?(kept json: JSONValue) {
        guard let id = json["id"]?.string, let change = json["change"]?.string, let at = json["at"]?.number,
            let run = json["run"]?.string, let sentence = json["sentence"]?.string
        else { return nil }
        let ended = json["ended"]?.string.map { Trouble(change: $0, id: json["trouble"]?.string ?? "") }
        self.init(
            id: id, change: change, ended: ended,
            others: Set((json["others"]?.array ?? []).compactMap(\.string)),
            keys: Set((json["keys"]?.array ?? []).compactMap(\.string)),
            at: Date(timeIntervalSince1970: at), run: run, occurrence: json["occurrence"]?.string, sentence: sentence,
            command: json["command"]?.string,
            figures: (json["figures"]?.object ?? [:]).compactMapValues { $0.int.flatMap { Int(exactly: $0) } },
            recipients: json["recipients"]?.int.flatMap { Int(exactly: $0) }, content: json["content"]?.string)
    }
}
