import Foundation
import HeraldCore

/// The variables of the machine that sources of lists may use. A file of a pull request must not be able to send any
/// other one away.
struct SourceVariables {
    private let environment: [String: String]
    private let listed: Set<String>

    init(_ environment: [String: String]) {
        self.environment = environment
        listed = Set(environment["HERALD_SOURCE_VARS", default: ""].split(separator: ",").map(String.init))
    }

    /// All that the machine lists and has.
    var all: [String: String] { environment.filter { listed.contains($0.key) } }

    func values(of names: Set<String>) throws(FetchProblem) -> [String: String] {
        if let name = names.subtracting(listed).min() { throw .variableNotAllowed(name) }
        let values = environment.filter { names.contains($0.key) }
        if let name = names.subtracting(values.keys).min() { throw .variableNotSet(name) }
        return values
    }

    /// Replaces `${VAR}` and `$$`.
    func expand(_ text: String) throws(FetchProblem) -> String {
        var problem: FetchProblem?
        let expanded = Variables.expand(text, all) { found in
            switch found {
            case .undefined(let name) where !listed.contains(name): problem = problem ?? .variableNotAllowed(name)
            case .undefined(let name): problem = problem ?? .variableNotSet(name)
            case .stray: problem = problem ?? .strayDollar
            }
        }
        if let problem { throw problem }
        return expanded
    }

    /// Puts `${VAR}` in the place of values in a sentence.
    ///
    /// - Parameter text: names the variables.
    func hideValues(in sentence: String, of text: String) -> String {
        let named = all.filter { text.contains("${\($0.key)") }
        let forms = named.flatMap { name, value in Self.forms(of: value).map { (name: name, form: $0) } }
        // A value may be a part of another one.
        return forms.sorted { $0.form.utf8.count > $1.form.utf8.count }.reduce(sentence) { sentence, value in
            sentence.replacing(value.form, with: "${\(value.name)}")
        }
    }

    /// How libpq and the server may show a value. The server cuts names.
    private static func forms(of value: String) -> Set<String> {
        let whole = [value, value.removingPercentEncoding ?? value]
        return Set(whole + whole.map { String(decoding: $0.utf8.prefix(longestName), as: UTF8.self) }).subtracting([""])
    }

    /// In bytes.
    private static let longestName = 63
}
