import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A sample is nobody's: it has no value for the field that decides the variant.
struct SampleTextTests {
    private static let files = [
        "a.yaml": """
        kind: audience
        name: members
        source: {file: members.csv, columns: {token: fcm_token, seen: last_seen}}
        fields:
          first_name: {max: 40, column: First Name}
          points: {type: integer}
          locale: {type: locale}
          account: {}
        samples:
          - {first_name: Chris, points: 1200, locale: it}
        ---
        kind: campaign
        name: points-monthly
        target: {audience: members}
        personal: {fields: [first_name, points], locale: locale, default_locale: en, bad_rows: error}
        message:
          notification:
            title: "Hi {{ first_name | default: 'there' }}"
            body: "You have {{ points }} points."
        locales:
          it: {notification: {title: "Ciao {{ first_name | default: 'pescatore' }}", body: "Hai {{ points }} punti."}}
        variants:
          a: {weight: 45}
          b:
            weight: 45
            message: {notification: {title: "{{ points }} points!"}}
            locales: {it: {notification: {title: "{{ points }} punti!"}}}
          none: {weight: 10, holdout: true}
        split: {seed: spring-2027, by: account}

        """, "members.csv": "fcm_token,last_seen,First Name,points,locale,account\n",
    ]

    private func workspace() throws -> (workspace: Workspace, send: DesiredSend, messages: PersonalMessages) {
        let loaded = try WorkspaceLoader.load(files: Self.files)
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.shown)")
        let workspace = try #require(loaded.workspace)
        let desired = try Resolver.desired(
            of: workspace, ListedRecipients(try #require(try loaded.recipientIndex?.get())))
        let send = try #require(desired.sends.first)
        return (workspace, send, try #require(send.campaign.content.personal))
    }

    private func title(_ text: ChosenText, _ messages: PersonalMessages) throws -> String? {
        messages.rendered(try #require(text.values), for: text.recipients)["notification"]?["title"]?.string
    }

    @Test(arguments: [TextChoice(sample: 1), TextChoice(locale: "it")])
    func `a preview shows it in its own language, in every variant`(_ choice: TextChoice) throws {
        let (workspace, send, messages) = try workspace()
        let texts = try choice.texts(of: send, workspace.samples(for: send.campaign))
        #expect(texts.map(\.recipients) == ["a", "b"].map { MessageClass(locale: "it", variant: $0) })
        #expect(texts.map(\.mistake) == [nil, nil])
        #expect(try texts.map { try title($0, messages) } == ["Ciao Chris", "1.200 punti!"])
    }

    @Test(arguments: [(TextChoice(), "Ciao Chris"), (TextChoice(sample: 1, variant: "b"), "1.200 punti!")])
    func `a test sends it`(_ choice: TextChoice, _ title: String) throws {
        let (workspace, send, messages) = try workspace()
        let text = try choice.text(
            of: messages, toDeviceOf: nil, key: Array(Registration.fid(1).rawValue.utf8),
            workspace.samples(for: send.campaign))
        #expect(try self.title(text, messages) == title)
        #expect(text.mistake == nil)
    }

    @Test func `the device's own row needs it`() throws {
        let (workspace, send, messages) = try workspace()
        let row = FieldValues(["Ann", "7", "it", nil])
        let problem = #expect(throws: TextProblem.self) {
            try TextChoice().text(
                of: messages, toDeviceOf: row, key: Array("k".utf8), workspace.samples(for: send.campaign))
        }
        #expect(
            problem?.description
                == "the registration's row makes no message: there is no value for 'account', which decides the variant"
        )
    }
}
