import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What decides about personal messages needs approval again when it changes.
@Suite struct PersonalApprovalTests {
    private static let campaign = """
        kind: campaign
        name: welcome
        target: {audience: members}
        personal: {fields: [name], locale: language, default_locale: en}
        message: {notification: {title: "Hello {{ name }}"}, data: {a: b}}
        locales: {it: {notification: {title: "Ciao {{ name }}"}, data: {c: ~}}}
        variants: {a: {weight: 1}, b: {weight: 1, message: {data: {a: c}}, locales: {it: {data: {a: d}}}}}
        split: {seed: spring, by: account}
        """
    private static let audience =
        "source: {file: lists/members.csv}\nfields: {name: {max: 40}, language: {type: locale}, account: {}}\n"
        + "samples: [{name: Chris, account: '7'}]"

    private func digest(_ old: String = "", _ new: String = "") throws -> String {
        let change = { (text: String) in
            old.isEmpty ? text : text.replacing(old, with: new)
        }
        let audiences = try #require(
            ReviewedFiles.files["audiences.yaml"]?.replacing(
                "source: {file: lists/members.csv}", with: change(Self.audience)))
        return try ReviewedFiles.approval([
            "audiences.yaml": audiences, "campaigns/welcome.yaml": change(Self.campaign),
        ]).digest
    }

    @Test(arguments: [
        ("Ciao {{ name }}", "Salve {{ name }}"), ("data: {c: ~}", "data: {c: d}"), (", data: {c: ~}", ""),
        ("{it:", "{de:"), ("a: {weight: 1}", "a: {weight: 2}"), ("b: {weight: 1,", "c: {weight: 1,"),
        ("message: {data: {a: c}}", "message: {data: {a: e}}"), ("{it: {data: {a: d}}}", "{it: {data: {a: e}}}"),
        ("variants: {a: {weight: 1}", "variants: {a: {weight: 1}, n: {weight: 1, holdout: true}"),
        ("default_locale: en", "default_locale: de"), ("default_locale: en", "default_locale: en, bad_rows: skip"),
        ("seed: spring", "seed: summer"), (", by: account", ""), ("max: 40", "max: 41"),
        ("account: {}", "account: {column: user}"), ("account: {}", "account: {type: integer}"),
    ])
    func `whatever decides changes the approval`(_ old: String, _ new: String) throws {
        #expect(try digest() != digest(old, new))
    }

    @Test(arguments: [("name: Chris", "name: Anna"), ("locale: language", "'locale': language")])
    func `samples and spellings do not`(_ old: String, _ new: String) throws {
        #expect(try digest() == digest(old, new))
    }

    /// The digest of the campaign with seeds, where the list has no row for them.
    private func digest(samples: String, seeds: String = ", seeds: testers") throws -> String? {
        let audience = Self.audience.replacing("[{name: Chris, account: '7'}]", with: samples)
        let audiences = try #require(
            ReviewedFiles.files["audiences.yaml"]?.replacing("source: {file: lists/members.csv}", with: audience))
        let campaign = Self.campaign + "\ndelivery: {stages: [10%, 100%], soak: 15m\(seeds)}"
        let approval = try ReviewedFiles.approval(["audiences.yaml": audiences, "campaigns/welcome.yaml": campaign])
        return approval.digests[.init(kind: .campaign, name: "welcome")]
    }

    @Test func `the first sample is approved where seeds may get it`() throws {
        let samples = { (first: String, second: String) in
            "[{name: \(first), account: '7'}, {name: \(second), account: '8'}]"
        }
        let before = samples("Chris", "Zoe")
        #expect(try digest(samples: before) != digest(samples: samples("Anna", "Zoe")))
        #expect(try digest(samples: before) == digest(samples: samples("Chris", "Max")))
        // Their language chooses the text.
        #expect(try digest(samples: before) != digest(samples: samples("Chris, language: it", "Zoe")))
        #expect(try digest(samples: before, seeds: "") == digest(samples: samples("Anna", "Zoe"), seeds: ""))
    }

    @Test func `changes of a locale's text are shown where they are`() throws {
        let files = { (title: String) -> [String: String?] in
            [
                "campaigns/welcome.yaml": """
                kind: campaign
                name: welcome
                target: {fids: [\(ReviewedFiles.fid("t"))]}
                personal: {locale: language, default_locale: en}
                message: {notification: {title: Hello}, data: {a: b}}
                locales: {it: {notification: {title: \(title)}}}
                """
            ]
        }
        let changes = WorkspaceChange.between(
            try ReviewedFiles.definitions(files("Ciao")), try ReviewedFiles.definitions(files("Salve")))
        #expect(changes.map { $0.fields.map(\.path) } == [["locales.it.notification.title"]])
    }
}
