internal import FCM

/// The metadata server of Google Cloud's machines: Compute Engine, GKE, Cloud Run.
package struct MetadataServer: Sendable {
    private static let name = "metadata.google.internal"
    private static let address = "169.254.169.254"
    /// How long it is waited for, in seconds.
    private static let patience = 3

    private let host: Endpoint
    /// Where it is looked for. An address, so that no name must be resolved where there is none.
    private let probe: Endpoint
    private let timeout: Duration
    private let tries: Int

    /// Reads the variables of Google's libraries.
    package init(environment: [String: String]) throws(CredentialFileError) {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        let variable = value("GCE_METADATA_HOST") == nil ? "GCE_METADATA_ROOT" : "GCE_METADATA_HOST"
        guard let host = Endpoint(plainText: (value(variable) ?? Self.name)[...]) else {
            throw .metadataHost(variable: variable)
        }
        // Whoever names another host means that one, and no other address.
        let address = value("GCE_METADATA_IP") ?? value(variable) ?? Self.address
        guard let probe = Endpoint(plainText: address[...]) else {
            throw .metadataHost(variable: "GCE_METADATA_IP")
        }
        self.host = host
        self.probe = probe
        func count(_ name: String) -> Int { min(max(value(name).flatMap { Int($0) } ?? 3, 1), 60) }
        timeout = .seconds(count("GCE_METADATA_TIMEOUT"))
        tries = count("GCE_METADATA_DETECT_RETRIES")
    }

    package var isOfThisMachine: Bool { host.isLoopback && probe.isLoopback }

    /// Where it is looked for, as messages name it.
    package var place: String { probe.authority }

    /// - Parameter isFound: Whether it has given a token before.
    func legs(for scope: String, isFound: Bool) -> [any TokenLeg] {
        let token = GrantLeg(server: self, scope: scope)
        return isFound ? [token] : [ProbeLeg(server: self), token]
    }

    /// Asks for the address of the service account whose tokens it gives.
    var accountCall: TokenCall {
        return get(TokenURL(endpoint: host, path: "/computeMetadata/v1/instance/service-accounts/default/email"))
    }

    /// The address in the answer to ``accountCall``. `nil` if there is none.
    static func account(in response: Response) -> String? {
        guard response.status == 200, response.metadataFlavor == "Google", response.body.count <= 320,
            let text = String(validating: response.body, as: UTF8.self), text.contains("@"),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        return text
    }

    private func get(_ url: TokenURL) -> TokenCall {
        TokenCall(
            service: .metadata, method: "GET", url: url, headers: [("metadata-flavor", Secret("Google"))],
            timeout: timeout)
    }

    /// Asks whether there is one.
    private struct ProbeLeg: TokenLeg {
        let server: MetadataServer

        func step(with _: Secret, at _: Double) -> TokenStep {
            var call = server.get(TokenURL(endpoint: server.probe, path: "/"))
            call.tries = server.tries
            call.absence = .noMetadataServer(at: server.place)
            return .call(call)
        }

        func find(in answer: TokenAnswer, at _: Double) throws(TokenError) -> TokenFinding {
            guard let response = answer.response, response.status == 200, response.metadataFlavor == "Google" else {
                throw .noMetadataServer(at: server.place)
            }
            return .text(Secret(""))
        }
    }

    private struct GrantLeg: TokenLeg {
        let server: MetadataServer
        let scope: String

        func step(with _: Secret, at _: Double) -> TokenStep {
            let path = "/computeMetadata/v1/instance/service-accounts/default/token"
            let query = "?scopes=\(scope.percentEncodedSegment)"
            return .call(server.get(TokenURL(endpoint: server.host, path: path + query)))
        }

        func find(in answer: TokenAnswer, at now: Double) throws(TokenError) -> TokenFinding {
            // Something else may answer a failure, and later the server is there again.
            guard let response = answer.response, response.metadataFlavor == "Google" || response.status != 200 else {
                throw .noMetadataServer(at: server.host.authority)
            }
            var grant = try TokenGrant(answer, from: .metadata, at: now)
            // It gives the same token until shortly before that one expires.
            grant.margin = TokenGrant.metadataMargin
            return .grant(grant)
        }
    }
}
