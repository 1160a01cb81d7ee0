internal import FCM

/// The addresses of the Google services that herald calls.
package struct Endpoints: Hashable, Sendable {
    /// Google's own servers.
    package static let google = Endpoints(fcm: .fcm, iid: .iid)

    package var fcm: Endpoint
    /// The Instance ID service.
    package var iid: Endpoint

    package init(fcm: Endpoint, iid: Endpoint) {
        self.fcm = fcm
        self.iid = iid
    }

    /// One server for all services, such as the emulator.
    package init(_ endpoint: Endpoint) {
        self.init(fcm: endpoint, iid: endpoint)
    }

    subscript(service: WireRequest.Service) -> Endpoint {
        switch service {
        case .fcm: fcm
        case .iid: iid
        }
    }
}
