import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// A random workspace. Its files are written from values that the model judges itself.
struct ComparedWorld {
    /// A value, of which the text is only one way to write it.
    enum Cell: Hashable {
        case empty
        /// In thousandths.
        case number(Int)
        /// In days since 2000-01-01.
        case day(Int)
        /// In seconds since 1970.
        case time(Int)
        case word(String)
    }

    struct Row {
        var registration: Registration
        var cells: [String: Cell]
        var seen: Int?
    }

    enum Operation: Hashable {
        case oneOf(Set<String>), not(Set<String>)
        case atLeast(Cell), below(Cell)
        case within(Int), before(Int)
    }

    struct Condition {
        var key: String
        var operation: Operation
    }

    struct List {
        var name: String
        var rows: [Row]
        /// Whether its audiences name the column `last` as the one that says when an app was seen.
        var namesSeen: Bool
        /// The types of declared fields, by the field's name, with the columns they stand for.
        var fields: [String: (type: String, column: String)]
    }

    struct Part {
        var name: String
        var list: Int
        var parent: Int?
        var conditions: [Condition]
        var exclude: [Int]
    }

    static let now = Date(timeIntervalSince1970: Double(second))
    static let second = 1_800_000_000

    private(set) var lists: [List] = []
    private(set) var audiences: [Part] = []
    private(set) var files: [String: String] = [:]
    private(set) var suppressed: Int?
    let columns = ["points", "joined", "active", "country"]
    private static let spans = [60, 3600, 90 * 86_400, 180 * 86_400, 3650 * 86_400]
    private static let words = ["IT", "DE", "FR"]

    init(_ random: inout SeededRandom) {
        for number in 0..<2 {
            let ending = Bool.random(using: &random) ? "csv" : "ndjson"
            var list = List(name: "l\(number).\(ending)", rows: [], namesSeen: .random(using: &random), fields: [:])
            let population = Int.random(in: 1...40, using: &random)
            list.rows = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                Self.row(of: population, columns, &random)
            }
            if Bool.random(using: &random) {
                list.fields["points"] = (["integer", "decimal"].randomElement(using: &random) ?? "", "points")
            }
            if Bool.random(using: &random) { list.fields["day"] = ("date", "joined") }
            lists.append(list)
        }
        for number in 0..<Int.random(in: 1...6, using: &random) {
            var part = Part(name: "a\(number)", list: .random(in: 0..<2, using: &random), conditions: [], exclude: [])
            if number > 0, Int.random(in: 0..<3, using: &random) == 0 {
                let parent = Int.random(in: 0..<number, using: &random)
                (part.parent, part.list) = (parent, audiences[parent].list)
            }
            // As the file's order will be.
            part.conditions = conditions(on: lists[part.list], &random).enumerated()
                .sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }.map(\.element)
            part.exclude = (0..<number).filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
            audiences.append(part)
        }
        if Int.random(in: 0..<3, using: &random) == 0 { suppressed = 0 }
        write(&random)
    }

    private static func row(of population: Int, _ columns: [String], _ random: inout SeededRandom) -> Row {
        let number = Int.random(in: 0..<population, using: &random)
        let isFid = Bool.random(using: &random)
        let registration =
            isFid ? Registration.fid(number) : .token(number, version: .random(in: 0...1, using: &random))
        var row = Row(registration: registration, cells: [:], seen: nil)
        for column in columns { row.cells[column] = cell(usually: column, &random) }
        if Int.random(in: 0..<4, using: &random) > 0 { row.seen = time(&random) }
        return row
    }

    /// Often at the edge of a span.
    private static func time(_ random: inout SeededRandom) -> Int {
        let span = spans.randomElement(using: &random) ?? 0
        return second - span + ([-86_400, -1, 0, 1, 50].randomElement(using: &random) ?? 0)
    }

    private static func cell(usually column: String, _ random: inout SeededRandom) -> Cell {
        let kind = Int.random(in: 0..<6, using: &random) == 0 ? "any" : column
        switch kind {
        case "points": return .number(.random(in: -4...4, using: &random) * 500)
        case "joined": return .day(.random(in: 0...4, using: &random))
        case "active": return .time(time(&random))
        case "country": return .word(words.randomElement(using: &random) ?? "")
        default:
            let others: [Cell] = [
                .empty, .empty, .number(1500), .day(3), .time(time(&random)), .word("DE"), .word("1e3"),
            ]
            return others.randomElement(using: &random) ?? .empty
        }
    }

    private func conditions(on list: List, _ random: inout SeededRandom) -> [Condition] {
        var conditions: [Condition] = []
        let isLikely = { (random: inout SeededRandom) in Int.random(in: 0..<3, using: &random) == 0 }
        let values = { (random: inout SeededRandom) in
            Set(Self.words.filter { _ in Bool.random(using: &random) } + [Bool.random(using: &random) ? "" : "IT"])
        }
        if isLikely(&random) { conditions.append(.init(key: "country", operation: .oneOf(values(&random)))) }
        if conditions.isEmpty, isLikely(&random) {
            conditions.append(.init(key: "country", operation: .not(values(&random))))
        }
        if isLikely(&random) { conditions.append(.init(key: "points", operation: .not(["1", "-0.5", "DE"]))) }
        let bounds = { (key: String, make: (Int) -> Cell, low: Int, random: inout SeededRandom) -> [Condition] in
            var found: [Condition] = []
            if Bool.random(using: &random) { found.append(.init(key: key, operation: .atLeast(make(low)))) }
            if Bool.random(using: &random) { found.append(.init(key: key, operation: .below(make(low + 2)))) }
            return found
        }
        if isLikely(&random) {
            let low = Int.random(in: -4...3, using: &random)
            conditions += bounds("points", { .number($0 * 500) }, low, &random)
        }
        if isLikely(&random) {
            let key = list.fields["day"] == nil ? "joined" : "day"
            conditions += bounds(key, { .day($0) }, .random(in: 0...3, using: &random), &random)
        }
        for key in ["active"] + (list.namesSeen ? ["seen"] : []) where isLikely(&random) {
            let place = Int.random(in: 1..<Self.spans.count, using: &random)
            if Bool.random(using: &random) { conditions.append(.init(key: key, operation: .within(Self.spans[place]))) }
            if Bool.random(using: &random) {
                conditions.append(.init(key: key, operation: .before(Self.spans[place - 1])))
            }
        }
        return conditions
    }
}

// MARK: How it is written

extension ComparedWorld.Condition {
    var compares: Bool { if case .oneOf = operation { false } else { true } }

    var isOfTime: Bool {
        switch operation {
        case .within, .before: true
        default: false
        }
    }

    var words: String {
        switch operation {
        case .oneOf(let values): "\(key) \(values.sorted().joined(separator: ", "))"
        case .not(let values): "\(key) not \(values.sorted().joined(separator: ", "))"
        default: "\(key) \(written.replacing(": ", with: " "))"
        }
    }

    /// As in YAML.
    var written: String {
        let quoted = { (values: Set<String>) in "[" + values.sorted().map { "\"\($0)\"" }.joined(separator: ", ") + "]"
        }
        let span = { (seconds: Int) in
            seconds % 86_400 == 0
                ? "\(seconds / 86_400)d" : seconds % 3600 == 0 ? "\(seconds / 3600)h" : "\(seconds / 60)m"
        }
        switch operation {
        case .oneOf(let values): return quoted(values)
        case .not(let values): return "not: \(quoted(values))"
        case .atLeast(let cell): return "at_least: \(cell.text)"
        case .below(let cell): return "below: \(cell.text)"
        case .within(let seconds): return "within: \(span(seconds))"
        case .before(let seconds): return "before: \(span(seconds))"
        }
    }
}

extension ComparedWorld.Cell {
    /// The shortest form.
    var text: String {
        switch self {
        case .empty: return ""
        case .number(let thousandths):
            let (whole, rest) = abs(thousandths).quotientAndRemainder(dividingBy: 1000)
            return (thousandths < 0 ? "-" : "") + "\(whole)" + (rest == 0 ? "" : ".\(rest / 100)")
        case .day(let day): return "2000-01-0\(day + 1)"
        case .time(let second): return Date(timeIntervalSince1970: Double(second)).formatted(.iso8601)
        case .word(let word): return word
        }
    }
}

extension ComparedWorld {
    private mutating func write(_ random: inout SeededRandom) {
        if let suppressed {
            files["herald.yaml"] = "herald: 1\nproject: tide\nsuppress: [\(audiences[suppressed].name)]\n"
        }
        for list in lists { files[list.name] = written(list, &random) }
        var documents: [String] = []
        for audience in audiences {
            let list = lists[audience.list]
            var text = "kind: audience\nname: \(audience.name)\n"
            if let parent = audience.parent {
                text += "from: \(audiences[parent].name)\n"
            } else {
                let seen = list.namesSeen ? ", columns: {seen: last}" : ""
                text += "source: {file: \(list.name)\(seen)}\n"
                let fields = list.fields.sorted { $0.key < $1.key }
                    .map { "\($0.key): {type: \($0.value.type), column: \($0.value.column)}" }
                if !fields.isEmpty { text += "fields: {\(fields.joined(separator: ", "))}\n" }
            }
            let byKey = Dictionary(grouping: audience.conditions, by: \.key)
            let filters = byKey.sorted { $0.key < $1.key }.map { key, conditions in
                let operations = conditions.map(\.written).joined(separator: ", ")
                return "\(key): " + (conditions.contains(where: \.compares) ? "{\(operations)}" : operations)
            }
            if !filters.isEmpty { text += "where: {\(filters.joined(separator: ", "))}\n" }
            if !audience.exclude.isEmpty {
                text += "exclude: [\(audience.exclude.map { audiences[$0].name }.joined(separator: ", "))]\n"
            }
            documents.append(text)
            documents.append(
                "kind: campaign\nname: to-\(audience.name)\ntarget: {audience: \(audience.name)}\n"
                    + "message: {notification: {title: Tide}}\n")
        }
        files["x.yaml"] = documents.joined(separator: "---\n")
    }

    private func written(_ list: List, _ random: inout SeededRandom) -> String {
        let names = columns + ["last"]
        let isCSV = list.name.hasSuffix("csv")
        var lines = isCSV ? [(["token", "fid"] + names).joined(separator: ",")] : []
        for row in list.rows {
            let isFid = row.registration.kind == .fid
            let value = row.registration.rawValue
            let cells = columns.map { row.cells[$0] ?? .empty } + [row.seen.map { .time($0) } ?? .empty]
            if isCSV {
                let texts = cells.enumerated().map { $0 < columns.count ? anyForm($1, &random) : $1.text }
                lines.append(([isFid ? "" : value, isFid ? value : ""] + texts).joined(separator: ","))
                continue
            }
            var members = ["\"\(isFid ? "fid" : "token")\":\"\(value)\""]
            for (name, cell) in zip(names, cells) {
                switch cell {
                case .empty:
                    members.append("\"\(name)\":" + (Bool.random(using: &random) ? "null" : "\"\""))
                case .number where Bool.random(using: &random): members.append("\"\(name)\":\(cell.text)")
                default:
                    let written = name == "last" ? cell.text : anyForm(cell, &random)
                    members.append("\"\(name)\":\"\(written)\"")
                }
            }
            lines.append("{" + members.joined(separator: ",") + "}")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Another way to write the same, where no filter goes by the text.
    private func anyForm(_ cell: Cell, _ random: inout SeededRandom) -> String {
        let text = cell.text
        switch cell {
        case .time(let second):
            let local = Date(timeIntervalSince1970: Double(second + 7200)).formatted(.iso8601).dropLast()
            return [text, "\(local)+02:00", "\(text.dropLast()).999Z"].randomElement(using: &random) ?? text
        case .day: return [text, " \(text) "].randomElement(using: &random) ?? text
        case .empty, .number, .word: return text
        }
    }
}
