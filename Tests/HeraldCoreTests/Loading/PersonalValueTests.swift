import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What the files say of personal messages arrives as values.
struct PersonalValueTests {
    private static let members = """
        kind: audience
        name: members
        source: {file: l.csv}
        fields: {first_name: {max: 40, column: First Name}, points: {type: integer}, language: {type: locale}, account: {}}
        samples: [{first_name: Chris, points: 1200, language: it, account: x}, {first_name: Bo, points: 7, account: z}]

        """
    private static let campaign = """
        kind: campaign
        name: points
        target: {audience: members}
        personal: {fields: [points, first_name], locale: language, default_locale: en}
        message:
          notification: {title: "Hi {{ first_name | default: 'there' }}", body: "{{ points }} points"}
          apns: {headers: {apns-push-type: alert}, payload: {aps: {sound: default, content-available: true}}}
        locales:
          it: {notification: {title: "Ciao {{ first_name }}", body: "{{ points }} punti"}}
          pt_BR: {notification: {title: "Oi {{ first_name }}", body: "{{ points }} pontos"}, apns: ~}
        variants:
          none: {weight: 10, holdout: true}
          b: {weight: 45, message: {apns: {payload: {aps: {sound: ~, content-available: false, badge: 1}}}}}
          a: {weight: 45}
        split: {seed: spring, by: account}

        """

    private func loaded(_ campaign: String = campaign, _ others: String = "") throws -> WorkspaceLoader.Loaded {
        try WorkspaceLoader.load(files: [
            "l.csv": "fid,First Name,points,language,account\n", "a.yaml": Self.members, "b.yaml": others,
            "c.yaml": campaign,
        ])
    }

    private func personal(_ campaign: String = campaign, _ others: String = "") throws -> Personal {
        let loaded = try loaded(campaign, others)
        #expect(loaded.diagnostics.filter { $0.severity == .error } == [])
        return try #require(loaded.workspace?.campaigns.first?.personal)
    }

    @Test func `an audience's fields and samples`() throws {
        let audience = try #require(try loaded().workspace?.audiences.first)
        #expect(
            audience.fields.map(\.value) == [
                Field(name: "first_name", maximum: 40, column: "First Name"), Field(name: "points", kind: .integer),
                Field(name: "language", kind: .locale), Field(name: "account"),
            ])
        #expect(
            audience.samples.map { $0.value.mapValues(\.value) } == [
                ["first_name": "Chris", "points": "1200", "language": "it", "account": "x"],
                ["first_name": "Bo", "points": "7", "account": "z"],
            ])
    }

    @Test func `a campaign's locales, variants and split`() throws {
        let personal = try personal()
        #expect(personal.fields.map(\.value) == ["points", "first_name"])
        #expect(personal.badRows == .error)
        #expect(personal.locales.keys.sorted() == ["it", "pt_BR"])
        #expect(personal.locales["pt_BR"]?["apns"] == .null)
        #expect(personal.variants.map(\.name.value) == ["a", "b", "none"])
        #expect(personal.variants.map(\.weight) == [45, 45, 10])
        #expect(personal.variants.map(\.isHoldout) == [false, false, true])
        // A flag that is false is left out, so that a patch removes it.
        #expect(
            personal.variants[1].message
                == ["apns": ["payload": ["aps": ["sound": .null, "content-available": .null, "badge": 1]]]])
        #expect(personal.split.seed == "spring")
        #expect(personal.split.by?.value == "account")
    }

    @Test func `the fields of a row are those of the campaign, with what the audience says of them`() throws {
        let content = try #require(try personal().content?.personal?.content)
        #expect(content.fields.map(\.name) == ["points", "first_name", "language", "account"])
        #expect(content.fields.map(\.kind) == [.integer, .text, .locale, .text])
        #expect((content.localeField, content.splitField) == (2, 3))
        #expect(content.seed == "spring")
    }

    @Test func `message, locale, variant's message`() throws {
        let messages = try #require(try personal().content?.personal)
        #expect(messages.classes.count == 9)
        let message = messages.message(of: MessageClass(locale: "it", variant: "b"))
        #expect(message["notification"] == ["title": "Ciao {{ first_name }}", "body": "{{ points }} punti"])
        #expect(message["apns"]?["payload"] == ["aps": ["badge": 1]])
        #expect(messages.message(of: MessageClass(locale: "pt_BR", variant: "a"))["apns"] == nil)
        #expect(messages.message(of: MessageClass(locale: "it", variant: "none", isHoldout: true)) == [:])
    }

    @Test(arguments: [
        ("target: {audience: b}", "kind: audience\nname: b\nfrom: members\nwhere: {account: x}\n"),
        (
            "target: {group: g}\ndelivery: {members: each}",
            "kind: group\nname: g\nmembers: {tokens: [\(token)]}\n"
        ),
        ("target: {tokens: [\(token)]}", ""),
    ])
    func `fields come from the end of the chain, and registrations in a file have none`(
        _ target: String, _ others: String
    ) throws {
        let campaign = Self.campaign.replacing("target: {audience: members}", with: target)
        let loaded = try WorkspaceLoader.load(files: [
            "herald.yaml": settingsText + "sender_id: '7'\n", "l.csv": "fid,First Name,points,language,account\n",
            "a.yaml": Self.members, "b.yaml": others, "c.yaml": campaign,
        ])
        let messages = try #require(loaded.workspace?.campaigns.first?.content.personal)
        let kinds: [FieldKind] =
            target.contains("audience") ? [.integer, .text, .locale, .text] : [.text, .text, .locale, .text]
        #expect(messages.content.fields.map(\.kind) == kinds)
    }

    @Test(arguments: [
        ("name: points", "points#1"), ("name: points\nrevision: 3", "points#3"),
        ("name: points\nprevious_names: [winter, spring]", "winter#1"),
    ])
    func `the seed is the oldest name and the revision`(_ name: String, _ seed: String) throws {
        let campaign = Self.campaign.replacing("name: points", with: name).replacing("seed: spring, ", with: "")
        #expect(try personal(campaign).content?.personal?.content.seed == seed)
    }

    @Test func `without personal braces mean nothing`() throws {
        let loaded = try loaded(
            """
            kind: campaign
            name: c
            target: {audience: members}
            message: {data: {a: "{{ first_name }}", b: "{{{"}}

            """)
        let campaign = try #require(loaded.workspace?.campaigns.first)
        #expect(campaign.personal == nil)
        #expect(campaign.content == MessageContent(["data": ["a": "{{ first_name }}", "b": "{{{"]]))
        #expect(!loaded.diagnostics.hasErrors)
    }

    @Test func `a placeholder begins a text only in quotes`() throws {
        let campaign = Self.campaign.replacing("body: \"{{ points }} points\"", with: "body: {{ points }}")
        let found = try loaded(campaign).diagnostics.filter { $0.severity == .error }
        #expect(found.map(\.rule) == [.wrongType])
        #expect(found.first?.help == "text that begins with {{ needs quotes: write \"{{ points }}\"")
    }

    @Test func `a mistake of one class says whose it is`() throws {
        let campaign = Self.campaign.replacing("badge: 1", with: "badge: -1")
        let found = try loaded(campaign).diagnostics.filter { $0.rule == .apsValue }
        #expect(found.map { $0.notes.map(\.message) } == [["in the message of variant 'b'"]])
    }

    @Test func `a bad sample is named with the campaign that it is bad for`() throws {
        let campaign = Self.campaign.replacing("{{ first_name | default: 'there' }}", with: "{{ language }}")
            .replacing("fields: [points", with: "fields: [language, points")
        let found = try loaded(campaign).diagnostics.filter { $0.rule == .sampleRow }
        #expect(found.map(\.message) == ["there is no value for 'language', and the message gives no default"])
        #expect(found.map(\.severity) == [.error])
        #expect(found.first?.notes.map(\.message) == ["for campaign 'points'"])
        let skipping = campaign.replacing("default_locale: en", with: "default_locale: en, bad_rows: skip")
        let warned = try loaded(skipping).diagnostics.filter { $0.rule == .sampleRow }
        #expect(warned.map(\.message) == found.map(\.message))
        #expect(warned.map(\.severity) == [.warning])
    }

    @Test func `an empty list of a locale replaces that of the message`() throws {
        let arguments = "android: {notification: {title_loc_key: hi, title_loc_args: ['{{ first_name }}']}}"
        let campaign = Self.campaign.replacing("  apns: {headers", with: "  \(arguments)\n  apns: {headers")
            .replacing(
                "{{ points }} punti\"}}", with: "{{ points }} punti\"}, android: {notification: {title_loc_args: []}}}")
        let messages = try #require(try personal(campaign).content?.personal)
        let italian = messages.message(of: MessageClass(locale: "it", variant: "a"))
        #expect(italian["android"]?["notification"] == ["title_loc_key": "hi", "title_loc_args": []])
        let english = messages.message(of: MessageClass(variant: "a"))
        #expect(english["android"]?["notification"]?["title_loc_args"] == ["{{ first_name }}"])
    }

    @Test func `a message to a group's key can be made personal or be translated by the app`() throws {
        let campaign = Self.campaign.replacing("target: {audience: members}", with: "target: {group: g}")
        let found = try loaded(campaign).diagnostics.first { $0.rule == .personalTarget }
        #expect(found?.help?.contains("members: each") == true)
        #expect(found?.help?.contains("title_loc_key") == true)
    }

    @Test func `no value of a sample is in a diagnostic`() throws {
        let loaded = try WorkspaceLoader.load(files: [
            "l.csv": "fid,First Name,points,language,account\n",
            "a.yaml": Self.members.replacing("points: 7", with: "points: 'secret'"),
        ])
        let found = loaded.diagnostics.filter { $0.rule == .sampleRow }
        #expect(found.map(\.message) == ["'points' is not a whole number of 64 bits"])
    }
}
