import FCM
import HeraldCore
import HeraldTestSupport

private let italian = "it: {notification: {title: 'Ciao {{ name }}'}}"
private let other = "b: {weight: 1, message: {notification: {title: 'Hey {{ name }}'}}}"
private let inItalian = "locales: {it: {notification: {title: 'Ehi {{ name }}'}}}"
private let locales = "fields: [name], locale: lang, default_locale: en"

private func variants(_ variants: String, _ rest: String = "", _ keys: String = "fields: [name]") -> [String: String] {
    .personal(keys, "variants: {\(variants)}\n\(rest)")
}
private func sample(_ sample: String, _ title: String = "'Hi {{ name }}'", _ keys: String = "") -> [String: String] {
    .personal("fields: [name]\(keys)", title: title, samples: "[\(sample)]")
}
private func rows(_ list: String, for name: String = "c") -> [String: String] {
    sample("{name: Bo}").mapValues {
        $0.replacing("name: c\n", with: "name: \(name)\n").replacing("lang,account\n", with: "lang,account\n\(list)")
    }
}
private func label(_ text: String) -> [String: String] {
    variants("a: {weight: 1}, \(other)").mapValues {
        $0.replacing("data: {a: b}", with: "data: {a: b}, fcm_options: {analytics_label: \(text)}")
    }
}

extension RuleCase {
    static let variantCases: [RuleCase] = [
        RuleCase(
            .missingKey, "variants of a campaign that is not personal",
            variants("a: {weight: 1}, \(other)").mapValues {
                $0.replacing("variants:", with: "▸variants:").replacing("personal: {fields: [name]}\n", with: "")
                    .replacing("title: 'Hi {{ name }}'", with: "title: Hi")
            }, near: variants("a: {weight: 1}, \(other)")),
        RuleCase(
            .missingKey, "a split without variants", .personal("fields: [name]", "▸split: {seed: x}"),
            near: variants("a: {weight: 1}, \(other)", "split: {seed: x}")),
        RuleCase(
            .missingKey, "a variant without a weight", variants("a: ▸{message: {data: {a: c}}}, \(other)"),
            near: variants("a: {weight: 1, message: {data: {a: c}}}, \(other)")),
        RuleCase(
            .wrongType, "a weight of nothing", variants("a: {weight: ▸0}, \(other)"),
            near: variants("a: {weight: 1}, \(other)")),
        RuleCase(
            .resourceName, "a variant with a space", variants("▸a b: {weight: 1}, \(other)"),
            near: variants("a-b: {weight: 1}, \(other)")),
        RuleCase(
            .invalidValue, "a holdout with a message",
            variants("a: {weight: 1}, b: {weight: 1, holdout: true, ▸message: {data: {a: c}}}"),
            near: variants("a: {weight: 1}, b: {weight: 1, holdout: true}")),
        RuleCase(
            .invalidValue, "nothing but holdouts",
            variants("").mapValues {
                $0.replacing(
                    "variants: {}", with: "variants: ▸{a: {weight: 1, holdout: true}, b: {weight: 1, holdout: true}}")
            }, near: variants("a: {weight: 1}, b: {weight: 1, holdout: true}")),
        RuleCase(
            .invalidValue, "nothing but one holdout",
            variants("").mapValues { $0.replacing("variants: {}", with: "variants: ▸{a: {weight: 1, holdout: true}}") },
            near: variants("a: {weight: 1}, b: {weight: 1, holdout: true}")),
        RuleCase(
            .invalidValue, "no variants",
            variants("").mapValues { $0.replacing("variants: {}", with: "variants: ▸{}") },
            near: variants("a: {weight: 1}, \(other)")),
        RuleCase(
            .invalidValue, "a seed without a character", variants("a: {weight: 1}, \(other)", "split: {seed: ▸''}"),
            near: variants("a: {weight: 1}, \(other)", "split: {seed: x}")),
        RuleCase(
            .invalidValue, "more messages than there may be",
            variants((0...1000).map { "v\($0): {weight: 1, message: {data: {a: '\($0)'}}}" }.joined(separator: ", "))
                .mapValues { $0.replacing("variants:", with: "▸variants:") },
            near: variants("a: {weight: 1}, \(other)")),
        RuleCase(
            .variantAlone, "one variant", variants("▸a: {weight: 1}"),
            near: variants("a: {weight: 1}, none: {weight: 1, holdout: true}")),
        RuleCase(
            .variantSame, "another name for it", variants("a: {weight: 1}, ▸b: {weight: 2}"),
            near: variants("a: {weight: 1}, \(other)")),
        RuleCase(
            .variantSmall, "registrations in the file",
            .personal(
                "", "variants: {▸a: {weight: 1}, ▸b: {weight: 9, message: {data: {a: c}}}}", title: "x",
                to: "fids: [\(fid)]"),
            near: .personal("", "variants: {a: {weight: 1}, b: {weight: 9, message: {data: {a: c}}}}", title: "x")
        ).checkingRows(),
        RuleCase(
            .variantHidesLocale, "a title in one language",
            variants(
                "a: {weight: 1}, b: {weight: 1, message: {notification: {title: ▸'Hey {{ name }}'}}}",
                "locales: {\(italian)}", locales),
            near: variants(
                "a: {weight: 1}, b: {weight: 1, message: {notification: {title: 'Hey {{ name }}'}}, \(inItalian)}",
                "locales: {\(italian)}", locales)),
        RuleCase(
            .variantHidesLocale, "data that a locale gives",
            variants(
                "a: {weight: 1}, b: {weight: 1, message: {data: {a: ▸c}}}",
                "locales: {it: {notification: {title: 'Ciao {{ name }}'}, data: {a: d}}}", locales),
            near: variants(
                "a: {weight: 1}, b: {weight: 1, message: {data: {c: c}}}",
                "locales: {it: {notification: {title: 'Ciao {{ name }}'}, data: {a: d}}}", locales)),
        RuleCase(
            .variantHidesLocale, "a link that a locale gives",
            variants(
                "a: {weight: 1}, b: {weight: 1, message: {webpush: {fcm_options: {link: ▸https://x.example/b}}}}",
                "locales: {it: {notification: {title: 'Ciao {{ name }}'}, "
                    + "webpush: {fcm_options: {link: https://x.example/it}}}}", locales),
            near: variants(
                "a: {weight: 1}, b: {weight: 1, message: {webpush: {fcm_options: {link: https://x.example/b}}}, "
                    + "locales: {it: {webpush: {fcm_options: {link: https://x.example/it/b}}}}}",
                "locales: {it: {notification: {title: 'Ciao {{ name }}'}, "
                    + "webpush: {fcm_options: {link: https://x.example/it}}}}", locales)),
        RuleCase(
            .localeTag, "a variant's own locale",
            variants(
                "a: {weight: 1}, b: {weight: 1, message: {data: {a: c}}, locales: {▸it-CH: {data: {a: d}}}}",
                "locales: {\(italian)}", locales),
            near: variants(
                "a: {weight: 1}, b: {weight: 1, message: {data: {a: c}}, locales: {IT: {data: {a: d}}}}",
                "locales: {\(italian)}", locales)),
        RuleCase(
            .localeTag, "a variant's locale in a campaign without locales",
            variants("a: {weight: 1}, b: {weight: 1, message: {data: {a: c}}, locales: {▸it: {data: {a: d}}}}"),
            near: variants("a: {weight: 1}, b: {weight: 1, message: {data: {a: c}}}")),
        RuleCase(
            .analyticsLabel, "too long with the variant's name",
            label("▸\(String(repeating: "x", count: 49))"), near: label(String(repeating: "x", count: 48))),
        RuleCase(
            .apnsHeader, "in a variant",
            variants(
                "a: {weight: 1}, b: {weight: 1, message: {apns: {headers: {apns-push-type: alert, apns-priority: ▸'7'}}}}"
            ),
            near: variants(
                "a: {weight: 1}, b: {weight: 1, message: {apns: {headers: {apns-push-type: alert, apns-priority: '10'}}}}"
            )),
    ]

    static let sampleCases: [RuleCase] = [
        RuleCase(
            .missingKey, "samples without fields", "kind: audience\nname: a\nfids: []\n▸samples: []\n",
            near: "kind: audience\nname: a\nfids: []\n"),
        RuleCase(.unknownField, "in a sample", sample("{name: Bo, ▸nam: x}"), near: sample("{name: Bo, account: x}")),
        RuleCase(
            .ambiguousScalar, "Norwegian", sample("{name: Bo, lang: ▸no}"), near: sample("{name: Bo, lang: 'no'}")),
        RuleCase(
            .ambiguousScalar, "a number that is a text", sample("{name: ▸7}"), near: sample("{name: '7', points: 7}")),
        RuleCase(.nullValue, "nothing", sample("{name: ▸~}"), near: sample("{name: Bo}")),
        RuleCase(.sampleRow, "too long", sample("{name: ▸Chrisy}"), near: sample("{name: Chris}")),
        RuleCase(
            .sampleRow, "a field without a value", sample("▸{account: x}"),
            near: sample("{account: x}", "\"Hi {{ name | default: 'you' }}\"")),
        RuleCase(
            .sampleRow, "white space", sample("{name: ▸'  '}"), near: sample("{name: ' x '}")),
        RuleCase(
            .sampleRow, "a number that is not whole", sample("{name: Bo, points: ▸'1.5'}"),
            near: sample("{name: Bo, points: 15}")),
        RuleCase(
            .sampleRow, "a day that there is not", sample("{name: Bo, born: ▸'2027-02-29'}"),
            near: sample("{name: Bo, born: 2028-02-29}")),
        RuleCase(
            .sampleRow, "a line break", sample("{name: ▸\"a\\nb\"}"), near: sample("{name: \"a b\"}")),
        RuleCase(
            .personalRows, "a row without a value", rows("\(fid),,,,,\n", for: "▸c"), near: rows("\(fid),Bo,,,,\n")
        ).checkingRows(),
        RuleCase(
            .personalRows, "a registration in the file",
            .personal("fields: [name]", to: "fids: [\(fid)]").mapValues {
                $0.replacing("name: c\n", with: "name: ▸c\n")
            },
            near: .personal("fields: [name]", title: "\"Hi {{ name | default: 'you' }}\"", to: "fids: [\(fid)]")
        ).checkingRows(),
        RuleCase(
            .rowsUnchecked, "lists are skipped",
            sample("{name: Bo}").mapValues { $0.replacing("name: c\n", with: "name: ▸c\n") },
            near: sample("{name: Bo}").mapValues {
                $0.replacing("personal: {fields: [name]}\n", with: "").replacing("{{ name }}", with: "you")
            }
        ).skippingLists(),
    ]
}
