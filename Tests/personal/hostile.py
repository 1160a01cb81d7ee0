"""What random texts and rows are made of."""

# fmt: off
LANGUAGES = [
    "it", "en", "de", "fr", "es", "pt-BR", "pt", "pt_PT", "ja", "ko", "zh", "zh-TW", "zh_Hant_HK",
    "ar", "iw", "fa", "hi",
    "ru", "pl", "sv", "no", "nl", "tr", "th", "uk", "cs", "de-CH", "fr-CA", "es-419", "tlh",
]
# Regions with figures of their own, and some without.
REGIONS = {
    "it": ["CH", "IT"], "de": ["AT", "CH", "DE"], "en": ["GB", "IN", "US", "ZA"], "es": ["MX", "ES", "AR"],
    "fr": ["CA", "CH", "FR"], "pt": ["PT", "BR"], "zh-Hant": ["TW", "HK"], "he": ["IL"], "nb": ["NO"],
    "ar": ["MA", "EG"], "nl": ["BE", "NL"],
}
NO_TAGS = [
    "", " ", "e", "en--US", "en_US.UTF-8", "it-", "-it", "??", "12", "en US", "it-ITALIANOO",
    "\u202eit", "fr\x00",
]
# Parts of texts that authors write.
WORDS = [
    "Ciao", "tide", "ora", "punti", "you have", "“quoted”", 'a "b" c', "it's", "{", "}", "}}",
    "{ x }", "\\n", "\\u0041",
    "%s", "100 %", "$1", "&amp;", "<b>", "潮位", "שלום", "مرحبا", "प्रणाम", "e\u0301", "👍🏽", "👨‍👩‍👧",
    "\n", "a/b", "#", "—",
]
NAMES = [
    "Chris", "Ana María", "Jürgen", "Žofia", "李小龍", "דוד", "محمد", "नमस्ते", "한국어", "O'Hara",
    "Anne-Marie", "Σωκράτης", "ẞ",
    "ﬁ", "𝔘𝔫𝔦",
]
# Values that mean something to JSON, YAML, CSV, HTML, links, shells and herald itself, or to nobody.
HOSTILE = [
    '"', '\\"}}', "\\", "{{ points }}", "{{", "}}", "{{{x}}}", "{{'{{'}}", '","admin":"1',
    "</script>", "&lt;", "%00",
    "%2e%2e", "../..", "..", ".", "...", "/", "a/../b", "?a=b&c=d#e", "://", "\u2010",
    "\U0001F600", "\U0010FFFD",
    "\U0001F468\u200d\U0001F469\u200d\U0001F467", "🇮🇹🇩🇪", "Z\u0351\u036B\u0343", "\u200e",
    "\u200fא", "\u061cب",
    "a\u200db", "a\u200cb", "\ufeffx", "\u00adx", "\ue000", "null", "true", "~", "- a", "# a",
    "NaN", "1e5", "=1+1", "'",
    "''", "`", "${HOME}", "$(id)", "%n%s", "I\u0307", "\u1160", "각",
]
REFUSED = [
    chr(code) for code in (
        *range(0x20), *range(0x80, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
]
# Of each kind, values that are right and values that are wrong.
NUMBERS = {
    "integer": (
        ["0", "7", "-7", "999", "1000", "1234567", "-1234567", "9223372036854775807", "-9223372036854775808"],
        ["1.5", "1,200", "1 200", "0x10", "٣", "1e3", "9223372036854775808", "9" * 40, "abc", "--5", "-", "½"]),
    "decimal": (
        ["0.00", "12.50", "-0.5", "1000", "1234567.891", "-1234.5", "0.1250000", "999999.999999999"],
        ["1,5", "1.2.3", "٣.٥", "€5", "1 000.5", "-", "1.5x"]),
    "date": (
        ["2027-03-05", "1999-12-31", "2028-02-29", "1600-01-01", "2026-05-01", "9999-12-31"],
        ["2027-02-29", "2027-13-01", "2027-00-10", "05/03/2027", "5 March 2027", "2027-3-5", "2027-03-05T10:00:00Z",
         "tomorrow"]),
}
# fmt: on
