"""The renderer itself, held against the words of the contract and against figures worked out elsewhere."""

import unittest

import languages
import split
import values
from languages import tag
from renderer import Bad, Good, Personal, Variant, merged
from templates import NotATemplate, Slot, parsed
from values import Field


def personal(message, fields=None, **more):
    every = (
        fields if fields is not None else {"name": Field(max=8), "points": Field("integer"), "locale": Field("locale")}
    )
    used = [name for name, field in every.items() if field.kind != "locale" and name != more.get("by")]
    return Personal(message=message, fields=used, every=every, **{"seed": "s", **more})


def titled(text):
    return {"notification": {"title": text}}


def title(outcome):
    return outcome.message["notification"]["title"]


class TemplateTests(unittest.TestCase):
    def test_texts(self):
        for text, parts in [
            ("plain { } }} text", ["plain { } }} text"]),
            ("Hi {{ name }}!", ["Hi ", Slot("name"), "!"]),
            ("{{name}}{{_b2}}", [Slot("name"), Slot("_b2")]),
            ("{{ name }}}", [Slot("name"), "}"]),
            ("{{ name | default: 'there' }}", [Slot("name", "there")]),
            ("{{ name | default: '' }}", [Slot("name", "")]),
            ("{{ name | default: 'it''s }} here' }}", [Slot("name", "it's }} here")]),
            ("{{'{{'}} name }}", ["{{ name }}"]),
        ]:
            with self.subTest(text):
                self.assertEqual(list(parsed(text)), parts)

    def test_what_is_no_template(self):
        for text in [
            "{{",
            "{{ }}",
            "{{{ name }}}",
            "{{ 2nd }}",
            "{{ a.b }}",
            "{{ name | upper }}",
            "{{ name | default: there }}",
            "{{ name | default: 'x }}",
            "{{ name }",
            "{{ naïve }}",
            "{{ a | default: '{{ b }}' }}",
        ]:
            with self.subTest(text), self.assertRaises(NotATemplate):
                parsed(text)


class ValueTests(unittest.TestCase):
    def test_white_space_is_unicodes(self):
        self.assertEqual(values.trimmed("\u3000\x85 \u2029a\u00a0b\t\r\n"), "a\u00a0b")
        self.assertEqual(values.trimmed("\x1fa\u200b"), "\x1fa\u200b")
        for nothing in (None, "", " ", "\u1680\u2003\n"):
            self.assertIsNone(values.trimmed(nothing))

    def test_characters_are_clusters(self):
        for text, count in [("e\u0301", 1), ("👨‍👩‍👧‍👦", 1), ("🇮🇹🇩🇪", 2), ("각", 1), ("a\u200db", 2), ("נָא", 2)]:
            self.assertEqual(values.characters(text), count, values.shown(text))

    def test_kinds(self):
        for kind, good, bad in [
            (
                "integer",
                ["0", "-7", str((1 << 63) - 1), str(-1 << 63)],
                ["1.0", "1 000", "٣", str(1 << 63), "1e3", "a", "-"],
            ),
            ("decimal", ["0", "-12.50", "1000.000"], ["1,5", "1.2.3", "٣.٥", "x"]),
            ("date", ["2027-03-05", "2028-02-29"], ["2027-02-29", "2027-13-01", "5.3.2027", "2027-3-5", "٢٠٢٧-03-05"]),
        ]:
            for value in good:
                self.assertTrue(values.is_of_kind(value, kind), (kind, value))
            for value in bad:
                self.assertFalse(values.is_of_kind(value, kind), (kind, value))

    def test_controls(self):
        for code in [0, 9, 10, 0x1F, 0x80, 0x9F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069]:
            self.assertTrue(values.has_control(f"a{chr(code)}b"), hex(code))
        for code in [0x20, 0xA0, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x061C, 0xFEFF, 0x1F600]:
            self.assertFalse(values.has_control(f"a{chr(code)}b"), hex(code))


class LanguageTests(unittest.TestCase):
    def test_whose_text_a_tag_gets(self):
        locales = ["it", "pt-BR", "zh-TW", "iw", "no", "es-419", "de-CH"]
        for text, expected in [
            ("it", "it"),
            ("IT_ch", "it"),
            ("it-Latn-IT-u-co-phonebk-x-a", "it"),
            ("pt-br", "pt-BR"),
            ("pt-PT", None),
            ("pt", None),
            ("zh-Hant-TW", "zh-TW"),
            ("zh_TW", "zh-TW"),
            ("zh", None),
            ("zh-HK", None),
            ("he-IL", "iw"),
            ("nb", "no"),
            ("nn", None),
            ("es-MX", None),
            ("es-419", "es-419"),
            ("de-CH-1996", "de-CH"),
            ("de", None),
            ("english spoken", None),
            ("it-", None),
            ("it--IT", None),
            ("", None),
        ]:
            with self.subTest(text):
                self.assertEqual(languages.chosen(tag(text), locales), expected)

    def test_numbers_and_dates(self):
        for value, kind, written, expected in [
            ("1234567", "integer", "it", "1.234.567"),
            ("1234", "integer", "es", "1.234"),
            ("1234", "integer", "de-CH", "1’234"),
            ("1234567", "integer", "hi", "12,34,567"),
            ("-1234", "integer", "sv", "-1\u00a0234"),
            ("1234.50", "decimal", "it", "1.234,50"),
            ("0.1250000", "decimal", "en", "0.1250000"),
            ("1234.50", "decimal", "ar", "1,234.50"),
            ("2027-03-05", "date", "it", "5 marzo 2027"),
            ("2027-03-05", "date", "en-US", "March 5, 2027"),
            ("2027-03-05", "date", "en-GB", "5 March 2027"),
            ("2027-03-05", "date", "th", "5 มีนาคม ค.ศ. 2027"),
            ("1234.50", "decimal", "tlh", "1234.50"),
            ("2027-03-05", "date", "tlh", "2027-03-05"),
            ("1234", "text", "it", "1234"),
            ("1234", "integer", None, "1234"),
        ]:
            with self.subTest((value, written)):
                self.assertEqual(languages.formatted(value, kind, written and tag(written)), expected)

    def test_the_recipients_region_counts_where_the_language_is_the_same(self):
        for text, row, expected in [
            ("it", "it-CH", "it-CH"),
            ("en", "fr-CA", "en"),
            ("en", "en-GB", "en-GB"),
            ("pt-BR", "pt", "pt-BR"),
            ("zh-Hant", "zh-HK", "zh-Hant-HK"),
            ("it", "it-Latn-CH", "it-CH"),
            ("de", None, "de"),
            (None, "de-CH", None),
        ]:
            self.assertEqual(languages.writing(tag(text), tag(row)), tag(expected), (text, row))


class MergeTests(unittest.TestCase):
    def test_the_examples_of_rfc_7396(self):
        for target, patch, result in [
            ({"a": "b"}, {"a": "c"}, {"a": "c"}),
            ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
            ({"a": "b"}, {"a": None}, {}),
            ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
            ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
            ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
            ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
            ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
            ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
            ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ]:
            self.assertEqual(merged(target, patch), result)


class SplitTests(unittest.TestCase):
    def test_the_place_is_that_of_another_implementation(self):
        # OpenSSL's: printf 'spring-2027\0abc' | openssl dgst -sha256 -mac HMAC -macopt key:herald.split/1
        self.assertEqual(split.point("spring-2027", "abc"), 0xCF529AA0F4E96F00)

    def test_a_share_is_its_weights(self):
        counts = {"a": 0, "b": 0, "none": 0}
        for number in range(20_000):
            counts[split.variant("s#1", f"u{number}", {"none": 10, "b": 45, "a": 45})] += 1
        for name, share in [("a", 0.45), ("b", 0.45), ("none", 0.1)]:
            self.assertAlmostEqual(counts[name] / 20_000, share, delta=0.015)

    def test_what_names_an_installation(self):
        fid = "cDEMO-team___-0001-pix"
        for registration, key in [(fid, fid), (fid + ":APA91b", fid), ("short:APA91b", "short:APA91b")]:
            self.assertEqual(split.recipient_key(registration), key)


class RowTests(unittest.TestCase):
    def test_values_are_never_read_as_placeholders_or_html(self):
        campaign = personal(titled("{{ name }}|{{ points }}"), {"name": Field(), "points": Field()})
        outcome = campaign.outcome({"name": " {{ points }} ", "points": '<b>"&'}, "r")
        self.assertEqual(title(outcome), '{{ points }}|<b>"&')

    def test_mistakes_in_order(self):
        campaign = personal({**titled("{{ name }}"), "data": {"n": "{{ points | default: '0' }}"}})
        for row, kind in [
            ({}, "missing"),
            ({"name": " \u3000", "points": "x"}, "missing"),
            ({"name": "123456789", "points": "x"}, "wrong_type"),
            ({"name": "12345678\x07"}, "too_long"),
            ({"name": "a\u202eb"}, "control_character"),
            ({"name": "a\nb"}, "control_character"),
        ]:
            self.assertEqual(campaign.outcome(row, "r").kind, kind, row)

    def test_links(self):
        message = {
            "notification": {"image": "https://x.example/{{ name }}/a.png?q={{ name }}"},
            "data": {"a": "see {{ name }}"},
        }
        campaign = personal(message)
        outcome = campaign.outcome({"name": "a/b?ü~"}, "r")
        self.assertEqual(
            outcome.message["notification"]["image"], "https://x.example/a%2Fb%3F%C3%BC~/a.png?q=a%2Fb%3F%C3%BC~"
        )
        self.assertEqual(outcome.message["data"]["a"], "see a/b?ü~")
        self.assertEqual(campaign.outcome({"name": ".."}, "r"), Bad("bad_url", frozenset(["name"])))
        self.assertIsInstance(campaign.outcome({"name": "..."}, "r"), Good)

    def test_numbers_are_written_for_people_only_where_people_read(self):
        message = {**titled("{{ points }}"), "data": {"n": "{{ points }}", "u": "a://b/{{ points }}"}}
        campaign = personal(message, locale="locale", default_locale="en", locales={"it": titled("Hai {{ points }}")})
        outcome = campaign.outcome({"points": "-1234", "locale": "it_CH"}, "r")
        self.assertEqual(
            outcome, Good("it", None, {**titled("Hai -1’234"), "data": {"n": "-1234", "u": "a://b/-1234"}})
        )
        self.assertEqual(title(campaign.outcome({"points": "1234", "locale": "en-IN"}, "r")), "1,234")
        self.assertEqual(title(campaign.outcome({"points": "1234", "locale": "fr-CA"}, "r")), "1,234")

    def test_variants_are_merged_after_the_locale(self):
        variants = {
            "a": Variant(),
            "b": Variant(message=titled("B"), locales={"it": titled("B it")}),
            "none": Variant(holdout=True),
        }
        message = {**titled("M"), "fcm_options": {"analytics_label": "l"}}
        campaign = personal(
            message, locale="locale", default_locale="en", locales={"it": titled("it")}, variants=variants
        )
        titles = {
            (locale, name): campaign.draft(locale, name)["notification"]["title"]
            for locale in (None, "it")
            for name in "ab"
        }
        self.assertEqual(titles, {(None, "a"): "M", (None, "b"): "B", ("it", "a"): "it", ("it", "b"): "B it"})
        self.assertEqual(campaign.draft(None, "a")["fcm_options"], {"analytics_label": "l_a"})
        self.assertEqual(message["fcm_options"], {"analytics_label": "l"})
        self.assertIsNone(campaign.outcome({}, "held2").message)

    def test_a_row_must_suit_all_variants_of_its_locale(self):
        variants = {"a": Variant(), "b": Variant(message=titled("{{ name }}"))}
        campaign = personal(titled("M"), variants=variants)
        for number in range(8):
            self.assertEqual(campaign.outcome({}, f"r{number}"), Bad("missing", frozenset(["name"])))

    def test_the_split_can_go_by_a_field(self):
        variants = {"a": Variant(), "b": Variant(message=titled("B"))}
        campaign = personal(titled("A"), {"account": Field()}, variants=variants, by="account")
        self.assertEqual(campaign.outcome({"account": " "}, "r"), Bad("no_split", frozenset(["account"])))
        for number in range(8):
            both = {campaign.outcome({"account": f" {number}"}, registration).variant for registration in ("r1", "r2")}
            self.assertEqual(len(both), 1)

    def test_too_large(self):
        campaign = personal(titled("{{ name }}"), {"name": Field()})
        self.assertEqual(campaign.outcome({"name": "x" * 4097}, "r"), Bad("too_large"))
        self.assertIsInstance(campaign.outcome({"name": "x" * 3000}, "r"), Good)


if __name__ == "__main__":
    unittest.main()
