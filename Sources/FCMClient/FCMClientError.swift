/// Why a client cannot be made.
package enum FCMClientError: Error, Hashable, Sendable, CustomStringConvertible {
    case timeout(Duration)
    case maxInFlight(Int)
    case unreadableAuthorities(path: String)
    case authoritiesWithoutTLS

    package var description: String {
        switch self {
        case .timeout(let timeout): "a request cannot have a timeout of \(timeout)"
        case .maxInFlight(let count): "there cannot be \(count) requests in flight"
        case .unreadableAuthorities(let path): "'\(path)' is not a file of PEM certificates"
        case .authoritiesWithoutTLS: "certificate authorities are for https endpoints only"
        }
    }

    /// What to do about it.
    package var help: String {
        switch self {
        case .timeout: "set 'fcm.timeout' to more than 0s"
        case .maxInFlight: "set 'fcm.max_in_flight' (for a worker --max-in-flight) to 1 or more"
        case .unreadableAuthorities:
            "name a PEM file that herald may read in 'fcm.ca' (for an emulator FCM_EMULATOR_CA)"
        case .authoritiesWithoutTLS: "begin the endpoint with https://, or leave out 'fcm.ca' and FCM_EMULATOR_CA"
        }
    }
}
