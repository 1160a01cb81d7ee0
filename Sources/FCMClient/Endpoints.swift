internal import FCM

/// Where Google's services are that herald calls.
package struct Endpoints: Hashable, Sendable {
    /// Google's own.
    package static let google = Endpoints(fcm: .fcm, iid: .iid)

    package var fcm: Endpoint
    /// The Instance ID service.
    package var iid: Endpoint

    package init(fcm: Endpoint, iid: Endpoint) {
        self.fcm = fcm
        self.iid = iid
    }

    /// One server that is all of them, as the emulator is.
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
