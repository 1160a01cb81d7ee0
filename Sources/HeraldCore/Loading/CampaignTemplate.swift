/// A small campaign file to start from.
package struct CampaignTemplate: Hashable, Sendable {
    package let name: String
    private let target: WrittenTarget
    private let tags: [String]

    package init(name: String, target: WrittenTarget, tags: [String] = []) {
        (self.name, self.target, self.tags) = (name, target, tags)
    }

    /// - Parameter schema: the path from the file to the schema of campaigns, for editors.
    package func draft(schema: String? = nil) -> ResourceDraft {
        let modeline = schema.map { "# yaml-language-server: $schema=\($0)\n" } ?? ""
        let text =
            modeline + """
                # 'herald preview' shows what phones will show of it, 'herald plan' what would be done.
                kind: campaign
                name: \(name.inYAML)
                description: Say here what it is for
                enabled: false             # true when it is ready; without a schedule it then goes out at the next apply
                \(([target.line] + tags.lineOfTags).joined(separator: "\n"))
                message:
                  notification:
                    title: The title
                    body: And what stands below it
                  # data: {key: "value"}                  # for the app itself; values are text
                  apns:
                    headers: {apns-push-type: alert}      # Apple wants the type said
                # schedule: {at: 2030-01-31T09:00:00Z}    # without it: due at once, one time
                # delivery: {expires_after: 4h}           # for what is worth nothing later

                """
        return ResourceDraft(name: name, text: text)
    }
}
