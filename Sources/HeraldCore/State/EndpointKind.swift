/// Where calls go: to Google's servers or to an emulator.
package enum EndpointKind: String, Hashable, Sendable {
    case fcm, emulator
}
