/// Where calls go.
package enum EndpointKind: String, Hashable, Sendable {
    /// Google's servers.
    case fcm
    /// A server on this machine, or the one that FCM_EMULATOR_HOST names.
    case emulator
    /// Any other server. herald treats it with the care it takes of FCM, and gives it no credentials.
    case other
}
