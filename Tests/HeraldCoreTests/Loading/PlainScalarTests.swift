import HeraldTestSupport
import Testing

@testable import HeraldCore

/// By the type repository of YAML 1.1 (yaml.org/type) and the core schema of YAML 1.2 (§10.3.2).
struct PlainScalarTests {
    @Test(arguments: ["", "~", "null", "Null", "NULL"])
    func `null`(_ text: String) { #expect(PlainScalar(text) == .null) }

    @Test func `only true and false in small letters are booleans`() {
        #expect(PlainScalar("true") == .bool(true))
        #expect(PlainScalar("false") == .bool(false))
    }

    @Test(arguments: [
        "y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO", "True", "TRUE", "False", "FALSE", "on", "On", "ON",
        "off", "Off", "OFF",
    ])
    func `other booleans are traps`(_ text: String) { #expect(PlainScalar(text) == .trap("a boolean")) }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("1234567890", 1_234_567_890), ("9223372036854775807", Int64.max),
        ("-9223372036854775808", .min),
    ])
    func `whole numbers that all readers agree on`(_ text: String, _ value: Int64) {
        #expect(PlainScalar(text) == .int(value))
    }

    @Test(arguments: [("0.5", 0.5), ("-1.25", -1.25), ("10.0", 10), ("0.0", 0)])
    func `fractions that all readers agree on`(_ text: String, _ value: Double) {
        #expect(PlainScalar(text) == .double(value))
    }

    @Test(arguments: [
        "1_000", "0o17", "017", "00", "08", "+5", "+0", "0x1F", "0xff_ff", "-0x1", "0b101", "0b1_0", "+0b1", "1e5",
        "1E5", "1.5e3", "1.5e+3", "-1e-5", "1.", "-1.", ".5", "-.5", "+.5", "1_000.5", "685.230_15e+03", ".inf",
        "-.inf",
        "+.inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN", "9223372036854775808", "-9223372036854775809",
        "99999999999999999999999999", "1e999", "007.5",
    ])
    func `numbers that one version reads otherwise are traps`(_ text: String) {
        #expect(PlainScalar(text) == .trap("a number"))
    }

    @Test func `a fraction that no double holds is a trap`() {
        #expect(PlainScalar(String(repeating: "9", count: 400) + ".0") == .trap("a number"))
    }

    @Test(arguments: ["12:30", "1:00", "12:30:45", "190:20:30", "-1:30", "+1:30", "08:00", "190:20:30.15", "1_0:30"])
    func `numbers in base 60 are traps`(_ text: String) {
        #expect(PlainScalar(text) == .trap("a time in base 60"))
    }

    @Test(arguments: [
        "2026-12-01", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.10 -5", "2001-12-15T02:59:43.1Z",
        "2001-1-1 2:59:43", "2001-12-14T21:59",
    ])
    func `dates are traps`(_ text: String) { #expect(PlainScalar(text) == .trap("a date")) }

    @Test(arguments: [
        "a", "yess", "nope", "o", "nul", "nil", "None", "tRUE", "t", "f", "-", "--", "+", "+-1", "0x", "0xG", "0b2",
        "0o8", "1a", "1-2", "12:60", "12:", ":30", "12:30h", "1.2.3", "1..2", "e5", "1e", "1e+", ".e5", "inf", "nan",
        "-inf",
        "2026-12", "2026-12-01x", "2026/12/01", "20261201a", "1,000", "1 000", "¼", "٣", "１", "1\u{301}", "0.5s",
        "3600s",
        "$1", "=", "<<", "<", "true ", " 1",
    ])
    func `everything else is text`(_ text: String) { #expect(PlainScalar(text) == .string) }

    @Test(arguments: ["9", "1.", "1:", "2026-12-01 ", "0x", "-"])
    func `a long scalar takes no time`(_ start: String) {
        let text = start + String(repeating: "1", count: 200_000) + "x"
        let spent = computingTime { _ = PlainScalar(text) }
        #expect(spent < .seconds(5))
    }
}
