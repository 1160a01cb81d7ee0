/// Why a client cannot be made.
package enum FCMClientError: Error, Hashable, Sendable, CustomStringConvertible {
    case timeout(Duration)
    case maxInFlight(Int)
    case unreadableAuthorities(path: String)
    case authoritiesWithoutTLS

    package var description: String {
        switch self {
        case .timeout(let timeout): "\(timeout) is no time for an exchange: it must be positive"
        case .maxInFlight(let count): "\(count) is no number of requests in flight: it must be positive"
        case .unreadableAuthorities(let path): "'\(path)' is not a file of PEM certificates"
        case .authoritiesWithoutTLS: "certificate authorities are for https endpoints only"
        }
    }
}
