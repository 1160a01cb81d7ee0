import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A campaign in two languages with two variants and a holdout, and the rows that it goes to.
struct PersonalSamples {
    let workspace: Workspace
    let desired: Desired
    let recipients: ListedRecipients

    var send: DesiredSend { get throws { try #require(desired.sends.first) } }
    var samples: [FieldValues] { get throws { workspace.samples(for: try send.campaign) } }

    static let samples = "samples: [{name: Chris, lang: it}, {name: Dana}, {lang: en}]"
    static let variants = """
        variants:
          a: {weight: 1}
          b: {weight: 1, message: {data: {text: "Hey {{ name }}"}}, locales: {it: {data: {text: "Ehi {{ name }}"}}}}
          none: {weight: 1, holdout: true}
        """

    static let texts = """
        message: {data: {text: "Hi {{ name }}"}}
        locales: {it: {data: {text: "Ciao {{ name }}"}}}
        """
    static let notifications = """
        message: {notification: {title: "Hi {{ name }}", body: Nice.}}
        locales: {it: {notification: {title: "Ciao {{ name | default: 'a te' }}"}}}
        """

    /// - Parameter rows: a name and a language each.
    init(
        _ rows: [String], badRows: String = "error", schedule: String = "", variants: String = "",
        samples: String = samples, texts: String = texts
    ) throws {
        let list = rows.enumerated().map { "\(Registration.fid($0 + 1).rawValue),\($1)\n" }.joined()
        let loaded = try WorkspaceLoader.load(files: [
            "c.yaml": """
            kind: audience
            name: members
            source: {file: l.csv}
            fields: {name: {}, lang: {type: locale}}
            \(samples)
            ---
            kind: campaign
            name: mine
            target: {audience: members}
            personal: {fields: [name], locale: lang, default_locale: en, bad_rows: \(badRows)}
            \(texts)
            \(schedule)
            \(variants)

            """, "l.csv": "fid,name,lang\n" + list,
        ])
        workspace = try #require(loaded.workspace)
        recipients = ListedRecipients(try #require(try loaded.recipientIndex?.get()))
        desired = try Resolver.desired(of: workspace, recipients)
    }

    func overview() -> PlanOverview {
        var scenario = PlanScenario()
        scenario.desired = desired
        return scenario.overview
    }
}
