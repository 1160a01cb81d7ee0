internal import FCM

/// A line of a chart: a name, a bar, and the figure that it shows.
struct Bar {
    var name: String
    var start = 0.0
    var length: Double
    var figure: String
    var tone: String?

    /// The width of a bar's picture; its unit is a thousandth of the width on the page.
    private static let width = 1000.0

    /// The line as its template takes it, if the whole width is `scale`.
    func values(of scale: Double) -> JSONValue {
        let from = Self.place(start, of: scale)
        let to = Self.place(start + length, of: scale)
        return [
            "name": .string(name), "start": .int(from), "length": .int(max(to - from, length > 0 ? 4 : 0)),
            "figure": .string(figure), "tone": tone.map { .string($0) } ?? .null,
        ]
    }

    private static func place(_ value: Double, of scale: Double) -> Int64 {
        guard scale > 0 else { return 0 }
        return Int64((min(max(value / scale, 0), 1) * width).rounded())
    }
}

extension JSONValue {
    /// A chart with its heading; `null` without bars.
    static func chart(_ heading: String, _ explanation: String, _ bars: [Bar], of scale: Double? = nil) -> JSONValue? {
        guard !bars.isEmpty else { return nil }
        let longest = scale ?? bars.map { $0.start + $0.length }.max() ?? 0
        return [
            "heading": .string(heading), "explanation": .string(explanation),
            "bars": .array(bars.map { $0.values(of: longest) }),
        ]
    }

    /// An object with these entries; `null` if there are none, so that the template leaves it out.
    static func section(_ name: String, _ entries: [JSONValue]) -> JSONValue {
        entries.isEmpty ? .null : .object([name: .array(entries)])
    }

    /// Names and values, as facts are shown.
    static func facts(_ facts: [(String, String)]) -> JSONValue {
        .array(facts.map { ["name": .string($0.0), "value": .string($0.1)] })
    }
}
