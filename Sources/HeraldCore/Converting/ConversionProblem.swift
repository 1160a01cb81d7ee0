/// Why a message cannot be converted.
package enum ConversionProblem: Error, Hashable, Sendable {
    /// - Parameter line: from 1.
    case notJSON(line: Int)
    case tooDeep
    case duplicateName(String)
    case noObject
    /// A list with that many messages.
    case list(Int)
    /// No key tells the form.
    case unknownForm
    /// The text begins like XML and has no JSON between `<gcm>` and `</gcm>`.
    case noStanza
    case tooLarge
    /// The keys that each name whom the message is for.
    case severalTargets([String])
    /// - Parameter path: the place in the message, such as `tokens[1]`.
    case noText(path: String)

    package var words: String {
        switch self {
        case .notJSON(let line): "line \(line) is not valid JSON; give one message as JSON"
        case .tooDeep: "its values are nested too deeply; a message has at most 32 levels"
        case .duplicateName(let name): "'\(name.printable)' stands twice in one object; remove one of them"
        case .noObject: "it is no JSON object; give one message, such as {\"message\": {…}}"
        case .list(let count): "it is a list of \(count); give one message at a time"
        case .unknownForm: "its keys tell no form of message; say which with --from v1, legacy or apns"
        case .noStanza: "it has no <gcm>…</gcm> with JSON in it; give the JSON alone"
        case .tooLarge: "it has more than 4 MiB; give one message at a time"
        case .severalTargets(let keys):
            "\(keys.map { "'\($0)'" }.joined(separator: " and ")) each name a target; keep one of them"
        case .noText(let path): "'\(path)' is no text; write it in quotes, or remove it"
        }
    }
}
