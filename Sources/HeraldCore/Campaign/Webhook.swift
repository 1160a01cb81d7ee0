/// Where people are told when something changes, as `notify` in herald.yaml says. `${VAR}` are not replaced: the address
/// and the secret are secrets.
package struct Webhook: Hashable, Sendable {
    /// What somebody should know of.
    package enum Change: String, Hashable, Sendable, CaseIterable {
        case failed, held, missed, halted, stale, sent
    }

    package enum Form: String, Hashable, Sendable, CaseIterable {
        case slack, json
    }

    package var address: String
    package var changes: Set<Change> = Set(Change.allCases)
    package var form = Form.json
    /// Occurrences for fewer people are not told of.
    package var minRecipients = 0
    /// What signs a JSON document.
    package var secret: String?
    /// Where the report of a run can be read; `{run}` stands for its name.
    package var reportURL: String?

    /// Whether it is shown what a message says.
    package var showsText = false

    package init(address: String) { self.address = address }
}
