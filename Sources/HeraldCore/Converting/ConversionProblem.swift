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
    /// - Parameter path: the place in the message, such as `tokens[1]`.
    case noRegistration(path: String)

    package var words: String {
        switch self {
        case .notJSON(let line): "line \(line) is not valid JSON"
        case .tooDeep: "its values are nested too deeply"
        case .duplicateName(let name): "'\(name.printable)' stands twice in one object"
        case .noObject: "it is no JSON object"
        case .list(let count): "it is a list of \(count)"
        case .unknownForm: "its keys tell no form of message"
        case .noStanza: "it has no <gcm>…</gcm> with JSON in it"
        case .tooLarge: "it has more than 4 MiB"
        case .severalTargets(let keys): "\(keys.map { "'\($0)'" }.joined(separator: " and ")) each name a target"
        case .noText(let path): "'\(path)' is no text"
        case .noRegistration(let path): "'\(path)' is no registration"
        }
    }

    /// What to do about it.
    package var help: String {
        switch self {
        case .notJSON, .noObject: "give one message as JSON, such as {\"message\": {…}}"
        case .tooDeep: "make it flatter: a message has at most 32 levels"
        case .duplicateName: "remove one of the two"
        case .list, .tooLarge: "give one message at a time"
        case .unknownForm: "say which it is with --from v1, legacy or apns"
        case .noStanza: "give the JSON alone"
        case .severalTargets: "keep one of them"
        case .noText: "write it in quotes, or remove it"
        case .noRegistration: "correct it, or remove it"
        }
    }
}
