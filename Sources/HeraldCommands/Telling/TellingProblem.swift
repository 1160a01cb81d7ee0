import FCMClient

/// Why somebody could not be told. No text of it shows the address, which is a secret.
enum TellingProblem: Error, Hashable {
    /// A variable of the address cannot be used.
    case variable(FetchProblem)
    case proxy(ProxyError)
    case post(Post.Problem)

    var description: String {
        switch self {
        case .variable(let problem): problem.description
        case .proxy(let problem): "\(problem)"
        case .post(.notAnAddress): "the address is no URL that begins with https://"
        case .post(.unanswered(let reason)): reason
        case .post(.status(let status)) where (300..<400).contains(status):
            "the server redirects (HTTP \(status)), and herald does not follow"
        case .post(.status(let status)): "the server answered HTTP \(status)"
        }
    }

    /// Whether the server takes other messages.
    var isOfContent: Bool {
        if case .post(.status(let status)) = self { [400, 413, 422].contains(status) } else { false }
    }

    var help: String {
        switch self {
        case .variable(let problem): problem.help
        case .proxy(let problem): problem.help
        case .post(.notAnAddress): "look at the value of the variable"
        case .post(.status(let status)) where (300..<500).contains(status) && ![408, 429].contains(status):
            "look at the value of the variable: the server does not take this address"
        case .post: "look at the server and the network; the run itself is not touched by this"
        }
    }
}

extension Post {
    /// - Parameter address: as it is written, with its variables.
    init(toSecret address: String, _ environment: [String: String]) throws(TellingProblem) {
        let url: String
        do throws(FetchProblem) { url = try SourceVariables(environment).expand(address) } catch {
            throw .variable(error)
        }
        let proxies: ProxySettings
        do throws(ProxyError) { proxies = try ProxySettings(environment: environment) } catch { throw .proxy(error) }
        do throws(Problem) { try self.init(to: url, proxies: proxies) } catch { throw .post(error) }
    }
}
