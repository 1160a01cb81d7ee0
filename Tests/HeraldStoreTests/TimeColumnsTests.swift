import Foundation
import Testing

@testable import HeraldStore

/// Times as PostgreSQL writes them in ISO style and UTC (its manual, 8.5.2).
struct TimeColumnsTests {
    private func rewritten(_ row: String, _ isTime: [Bool]) -> String {
        var (columns, text) = (TimeColumns(isTime), "")
        Array(row.utf8).withUnsafeBytes { bytes in
            columns.rewrite(bytes) { text += String(decoding: $0, as: UTF8.self) }
        }
        return text
    }

    @Test(
        arguments: [
            ("2026-12-01 08:00:00+00", "2026-12-01T08:00:00Z"), ("2026-12-01 08:00:00", "2026-12-01T08:00:00Z"),
            ("2026-12-01 08:00:00.25+00", "2026-12-01T08:00:00.25Z"),
            ("2026-12-01 08:00:00.123456", "2026-12-01T08:00:00.123456Z"),
            // Times that RFC 3339 does not know, and what is none.
            ("infinity", nil), ("-infinity", nil), ("", nil), ("12026-12-01 08:00:00+00", nil),
            ("0044-03-15 00:00:00+00 BC", nil),
            ("2026-12-01 08:00:00.", nil), ("2026-12-01 08:00:00+01", nil), ("2026-12-01 08:00", nil),
            ("2026-12-01", nil),
        ] as [(String, String?)])
    func `a time becomes one of RFC 3339, and all else stays`(_ time: String, _ expected: String?) {
        #expect(TimeColumns.text(time) == expected ?? time)
        #expect(rewritten("a,\(time)\n", [false, true]) == "a,\(expected ?? time)\n")
        #expect(rewritten("\(time),\(time),b\n", [true, true, false]) == "\(expected ?? time),\(expected ?? time),b\n")
        #expect(rewritten("\(time),\(time)\n", [false, true]) == "\(time),\(expected ?? time)\n")
    }

    @Test(arguments: [
        "\"a, 2026-12-01 08:00:00+00\",2026-12-01 08:00:00+00,\"2026-12-01 08:00:00+00\"\n",
        "\"a \"\"b\"\", \nc\",2026-12-01 08:00:00+00,\"\"\"\"\n",
    ])
    func `commas and breaks in quotes part nothing`(_ row: String) {
        let place = row.range(of: ",2026-12-01 08:00:00+00,")
        let expected = place.map { row.replacingCharacters(in: $0, with: ",2026-12-01T08:00:00Z,") }
        #expect(rewritten(row, [false, true, false]) == expected)
    }
}
