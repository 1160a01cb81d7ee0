import FCM

/// How often each endpoint that issues access tokens was asked for a token.
struct SignInCounts: Hashable, Sendable {
    private var counts: [SignInService.Endpoint: Count] = [:]

    private struct Count: Hashable, Sendable {
        var requests = 0
        /// Those that were answered with 200.
        var granted = 0
    }

    /// - Parameter status: `nil` if the caller got no answer.
    mutating func count(_ call: Call, status: Int?) {
        guard case .oauth(let service)? = Service(for: call), service.issues else { return }
        let endpoint = service.endpoint
        counts[endpoint, default: Count()].requests += 1
        if status == 200 { counts[endpoint, default: Count()].granted += 1 }
    }

    var json: JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: SignInService.Endpoint.allCases.map { endpoint in
                    let count = counts[endpoint] ?? Count()
                    return (
                        endpoint.rawValue,
                        ["requests": .int(Int64(count.requests)), "granted": .int(Int64(count.granted))] as JSONValue
                    )
                }))
    }
}
