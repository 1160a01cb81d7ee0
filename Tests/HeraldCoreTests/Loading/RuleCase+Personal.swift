import FCM
import HeraldCore
import HeraldTestSupport

private let declared =
    "fields: {name: {max: 5}, points: {type: integer}, born: {type: date}, lang: {type: locale}, account: {}}"
private let header = "fid,name,points,born,lang,account\n"

/// An audience with a list.
private func audience(_ rest: String, _ list: String = header, and other: String = "") -> [String: String] {
    ["x.yaml": "kind: audience\nname: a\nsource: {file: l.csv}\n\(rest)\n\(other)", "l.csv": list]
}

private func personal(
    _ keys: String, _ rest: String = "", title: String = "'Hi {{ name }}'", to target: String = "audience: a"
) -> [String: String] {
    .personal(keys, rest, title: title, to: target)
}

extension [String: String] {
    /// An audience with a list, and a personal campaign to it.
    static func personal(
        _ keys: String, _ rest: String = "", title: String = "'Hi {{ name }}'", to target: String = "audience: a",
        samples: String = "[]"
    ) -> [String: String] {
        audience(
            "\(declared)\nsamples: \(samples)",
            and: """
                ---
                kind: topic
                name: t
                subscribers: []
                ---
                kind: campaign
                name: c
                target: {\(target)}
                personal: {\(keys)}
                message: {notification: {title: \(title)}, data: {a: b}}
                \(rest)

                """)
    }
}

/// With a field `name` and locales.
private func locales(_ locales: String, _ rest: String = "", title: String = "'Hi {{ name }}'") -> [String: String] {
    personal("fields: [name], locale: lang, default_locale: en", "locales: {\(locales)}\n\(rest)", title: title)
}

private let italian = "it: {notification: {title: 'Ciao {{ name }}'}}"
private let two = "a: {weight: 1}, b: {weight: 1, message: {notification: {title: 'Hey {{ name }}'}}}"

extension RuleCase {
    static let personalCases = declaredFields + placeholders + localeCases + variantCases + sampleCases

    private static let declaredFields: [RuleCase] = [
        RuleCase(
            .fieldName, "a space", audience("fields: {▸a b: {}}", "fid,a b\n"),
            near: audience("fields: {a_b: {column: a b}}", "fid,a b\n")),
        RuleCase(.fieldName, "a digit first", audience("fields: {▸1a: {}}", "fid,1a\n"), near: audience("fields: {}")),
        RuleCase(
            .fieldColumn, "a column that is not there", audience("fields: {▸nome: {}}"),
            near: audience("fields: {nome: {column: name}}")),
        RuleCase(
            .fieldColumn, "a column of registrations", audience("fields: {▸id: {column: fid}}"),
            near: audience("fields: {id: {column: account}}")),
        RuleCase(
            .fieldColumn, "a column that stands twice", audience("fields: {▸n: {}}", "fid,n,n\n"),
            near: audience("fields: {n: {}}", "fid,n,m,m\n")),
        RuleCase(
            .fieldColumn, "a column that is named twice", audience("fields: {a: {column: name}, b: {column: ▸name}}"),
            near: audience("fields: {a: {column: name}, b: {column: lang}}")),
        RuleCase(
            .fieldColumn, "a key that no row has",
            [
                "x.yaml": "kind: audience\nname: a\nsource: {file: l.ndjson}\nfields: {▸n: {}}\n",
                "l.ndjson": "{\"fid\":\"\(fid)\",\"m\":1}\n",
            ],
            near: [
                "x.yaml": "kind: audience\nname: a\nsource: {file: l.ndjson}\nfields: {n: {}}\n",
                "l.ndjson": "{\"fid\":\"\(fid)\"}\n{\"fid\":\"\(fid)\",\"n\":1}\n",
            ]),
        RuleCase(
            .fieldColumn, "a list without columns",
            ["x.yaml": "kind: audience\nname: a\nsource: {file: l.txt}\n▸fields: {n: {}}\n", "l.txt": ""],
            near: ["x.yaml": "kind: audience\nname: a\nsource: {file: l.txt}\n", "l.txt": ""]),
        RuleCase(
            .fieldColumn, "fids in the file", "kind: audience\nname: a\nfids: []\n▸fields: {n: {}}\n",
            near: "kind: audience\nname: a\nfids: []\n"),
        RuleCase(
            .fieldColumn, "an audience from another",
            audience("fields: {name: {}}", and: "---\nkind: audience\nname: b\nfrom: a\n▸fields: {name: {}}\n"),
            near: audience("fields: {name: {}}", and: "---\nkind: audience\nname: b\nfrom: a\n")),
        RuleCase(
            .invalidValue, "a number's length", audience("fields: {points: {type: integer, ▸max: 3}}"),
            near: audience("fields: {points: {type: text, max: 3}}")),
        RuleCase(
            .invalidValue, "a type that there is not", audience("fields: {points: {type: ▸number}}"),
            near: audience("fields: {points: {type: decimal}}")),
        RuleCase(
            .invalidValue, "a field without a column's name", audience("fields: {name: {column: ▸''}}"),
            near: audience("fields: {name: {column: name}}")),
        RuleCase(.wrongType, "fields as a list", audience("fields: ▸[name]"), near: audience("fields: {name: {}}")),
        RuleCase(
            .wrongType, "a field as a word", audience("fields: {name: ▸text}"),
            near: audience("fields: {name: {type: text}}")),
        RuleCase(
            .unknownKey, "of a field", audience("fields: {name: {▸length: 3}}"),
            near: audience("fields: {name: {max: 3}}")),
        RuleCase(
            .fieldType, "a locale that is a text", personal("fields: [name], locale: ▸account, default_locale: en"),
            near: personal("fields: [name], locale: lang, default_locale: en")),
        RuleCase(
            .unknownField, "of the audience", personal("fields: [name, ▸nam]", title: "'{{ name }} {{ nam }}'"),
            near: personal("fields: [name, account]", title: "'{{ name }} {{ account }}'")),
        RuleCase(
            .unknownField, "to split by", personal("fields: [name]", "variants: {\(two)}\nsplit: {by: ▸user}"),
            near: personal("fields: [name]", "variants: {\(two)}\nsplit: {by: account}")),
        RuleCase(
            .invalidValue, "a field twice", personal("fields: [name, ▸name]"), near: personal("fields: [name]")),
    ]

    private static let placeholders: [RuleCase] = [
        RuleCase(
            .unknownField, "in a placeholder", personal("fields: [name]", title: "▸'{{ name }} {{ points }}'"),
            near: personal("fields: [name, points]", title: "'{{ name }} {{ points }}'")),
        RuleCase(
            .fieldUnused, "no text has it", personal("fields: [name, ▸points]"),
            near: personal("fields: [name, lang], locale: lang")),
        RuleCase(
            .placeholder, "not closed", personal("fields: [name]", title: "▸'Hi {{ name }'"),
            near: personal("fields: [name]")),
        RuleCase(
            .placeholder, "a filter", personal("fields: [name]", title: "▸'Hi {{ name | upcase }}, {{ name }}'"),
            near: personal("fields: [name]", title: "\"Hi {{ name | default: 'you' }}\"")),
        RuleCase(
            .placeholder, "in a collapse key",
            personal("fields: [name]", "delivery: {}").mapValues {
                $0.replacing("data: {a: b}", with: "data: {a: b}, android: {collapse_key: ▸'{{ name }}'}")
            },
            near: personal("fields: [name]").mapValues {
                $0.replacing("data: {a: b}", with: "data: {a: '{{ name }}'}, android: {collapse_key: tide}")
            }),
        RuleCase(
            .placeholder, "in a link's host",
            personal("fields: [name]").mapValues {
                $0.replacing("data: {a: b}", with: "data: {a: ▸'https://{{ name }}.example/'}")
            },
            near: personal("fields: [name]").mapValues {
                $0.replacing("data: {a: b}", with: "data: {a: 'https://tides.example/{{ name }}'}")
            }),
        RuleCase(
            .defaultUnused, "of the field to split by",
            personal(
                "fields: [account]",
                "variants: {a: {weight: 1}, b: {weight: 1, message: {data: {a: c}}}}\nsplit: {by: account}",
                title: "▸\"{{ account | default: 'x' }}\""),
            near: personal(
                "fields: [account]",
                "variants: {a: {weight: 1}, b: {weight: 1, message: {data: {a: c}}}}\nsplit: {by: account}",
                title: "'{{ account }}'")),
        RuleCase(
            .personalTarget, "a topic",
            personal("", title: "x", to: "topic: t").mapValues {
                $0.replacing("personal:", with: "▸personal:")
            }, near: personal("", title: "x")),
        RuleCase(
            .unfinishedText, "a placeholder where nothing is personal",
            personal("", title: "▸'Hi {{ name }}'").mapValues { $0.replacing("personal: {}\n", with: "") },
            near: personal("fields: [name]")),
        RuleCase(
            .unfinishedText, "a placeholder in data where nothing is personal",
            personal("", title: "x").mapValues {
                $0.replacing("personal: {}\n", with: "").replacing("data: {a: b}", with: "data: {a: ▸'{{ name }}'}")
            },
            near: personal("fields: [name]", title: "x").mapValues {
                $0.replacing("data: {a: b}", with: "data: {a: '{{ name }}'}")
            }),
        RuleCase(
            .unfinishedText, "a placeholder in a link where nothing is personal",
            personal("", title: "x").mapValues {
                $0.replacing("personal: {}\n", with: "").replacing(
                    "data: {a: b}",
                    with:
                        "apns: {headers: {apns-push-type: alert}, payload: {aps: {sound: default}, link: ▸'tides://spot/{{ name }}'}}"
                )
            },
            near: personal("", title: "x").mapValues {
                $0.replacing("personal: {}\n", with: "").replacing(
                    "data: {a: b}",
                    with:
                        "apns: {headers: {apns-push-type: alert}, payload: {aps: {sound: default}, link: 'tides://spot/name'}}"
                )
            }),
        RuleCase(
            .numberWord, "points of one person",
            personal("fields: [name, ▸points]", title: "'{{ name }}: {{ points }} points'"),
            near: personal("fields: [name, points]", title: "'Points of {{ name }}: {{ points }}'")),
        RuleCase(
            .numberWord, "in a locale",
            personal(
                "fields: [▸points], locale: lang, default_locale: en",
                "locales: {de: {notification: {title: '{{ points }} Punkte'}}}", title: "'Points: {{ points }}'"),
            near: personal(
                "fields: [points], locale: lang, default_locale: en",
                "locales: {ja: {notification: {title: '{{ points }} ポイント'}}}", title: "'Points: {{ points }}'")),
        RuleCase(.unknownKey, "of personal", personal("▸field: [name]", title: "x"), near: personal("", title: "x")),
        RuleCase(
            .invalidValue, "a word for bad rows", personal("fields: [name], bad_rows: ▸warn"),
            near: personal("fields: [name], bad_rows: skip")),
    ]

    private static let localeCases: [RuleCase] = [
        RuleCase(
            .missingKey, "locales of a campaign that is not personal",
            locales(italian, title: "x").mapValues {
                $0.replacing("locales:", with: "▸locales:").replacing(
                    "personal: {fields: [name], locale: lang, default_locale: en}\n", with: "")
            }, near: locales(italian)),
        RuleCase(
            .missingKey, "no language of the message",
            personal("fields: [name], locale: lang", "▸locales: {\(italian)}"), near: locales(italian)),
        RuleCase(
            .missingKey, "no field that chooses a locale",
            personal("fields: [name], default_locale: en", "▸locales: {\(italian)}"), near: locales(italian)),
        RuleCase(
            .localeTag, "a word", locales("▸e: {}, \(italian)"),
            near: locales("pt-BR: {}, \(italian)")),
        RuleCase(
            .localeTag, "the language of the message itself",
            locales("▸EN: {notification: {title: 'Hello {{ name }}'}}, \(italian)"),
            near: locales("en-GB: {notification: {title: 'Hello {{ name }}'}}, \(italian)")),
        RuleCase(.localeTag, "one locale twice", locales("IT_it: {}, ▸it-IT: {}"), near: locales("IT_it: {}, it: {}")),
        RuleCase(
            .localeTag, "of the message", personal("fields: [name], locale: lang, default_locale: ▸e"),
            near: personal("fields: [name], locale: lang, default_locale: en")),
        RuleCase(
            .fieldSomeLocales, "a translation lost it",
            personal(
                "fields: [▸name], locale: lang, default_locale: en", "locales: {it: {notification: {title: Ciao}}}"),
            near: locales(italian)),
        RuleCase(
            .localeCut, "a long translation",
            locales("it: {notification: {title: ▸'Un titolo molto lungo per un telefono, {{ name }}'}}"),
            near: locales(italian)),
        RuleCase(
            .defaultUnused, "of the locale in a locale's text",
            personal(
                "fields: [lang], locale: lang, default_locale: en",
                "locales: {it: {notification: {title: ▸\"{{ lang | default: 'x' }}\"}}}",
                title: "\"{{ lang | default: 'x' }}\""),
            near: personal(
                "fields: [lang], locale: lang, default_locale: en",
                "locales: {it: {notification: {title: '{{ lang }}'}}}", title: "\"{{ lang | default: 'x' }}\"")),
        RuleCase(
            .payloadSize, "one locale's message", locales("it: {▸data: {a: \(String(repeating: "x", count: 5000))}}"),
            near: locales("it: {data: {a: \(String(repeating: "x", count: 500))}}")),
        RuleCase(
            .payloadSize, "without what placeholders take",
            personal("fields: [name]").mapValues {
                $0.replacing("data: {a: b}", with: "▸data: {a: '{{ name }}\(String(repeating: "x", count: 4096))'}")
            },
            near: personal("fields: [name]").mapValues {
                let slots = String(repeating: "{{ name }}", count: 60)
                return $0.replacing("data: {a: b}", with: "data: {a: '\(slots)\(String(repeating: "x", count: 3600))'}")
            }),
        RuleCase(
            .apsMissing, "what a locale removes",
            locales("it: {apns: {▸payload: {aps: ~, a: b}}}").mapValues {
                $0.replacing(
                    "data: {a: b}",
                    with: "data: {c: b}, apns: {headers: {apns-push-type: alert}, payload: {aps: {sound: default}}}")
            },
            near: locales("it: {apns: {payload: {aps: {sound: ~, badge: 1}, a: b}}}").mapValues {
                $0.replacing(
                    "data: {a: b}",
                    with: "data: {c: b}, apns: {headers: {apns-push-type: alert}, payload: {aps: {sound: default}}}")
            }),
        RuleCase(
            .wrongType, "a locale's title", locales("it: {notification: {title: ▸[Ciao]}}"), near: locales(italian)),
        RuleCase(.wrongType, "a locale that is a text", locales("it: ▸Ciao"), near: locales(italian)),
        RuleCase(
            .unknownKey, "a key to remove", locales("it: {▸notifications: ~}"), near: locales("it: {android: ~}")),
        RuleCase(
            .invalidValue, "no locales", locales("").mapValues { $0.replacing("locales: {}", with: "locales: ▸{}") },
            near: locales(italian)),
        RuleCase(
            .cutText, "a locale's text",
            locales("").mapValues {
                $0.replacing("locales: {}", with: "locales:\n  it:\n    notification:\n      body: ▸noi #1")
            },
            near: locales("").mapValues {
                $0.replacing("locales: {}", with: "locales:\n  it:\n    notification:\n      body: 'noi #1'")
            }),
    ]
}
