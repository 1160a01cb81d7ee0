/// Where calls go: Google's servers, or a stand-in for them.
package enum EndpointKind: String, Hashable, Sendable {
    case fcm, emulator
}
