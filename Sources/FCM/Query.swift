/// A request that reads: it changes nothing at FCM and may be repeated at will.
package enum Query: Hashable, Sendable {
    /// Which topics a registration is subscribed to. A page holds all of them, unless FCM gives shorter ones; then
    /// `after` names where the next page begins.
    case subscriptions(of: Registration, after: SubscriptionPage.Mark?)
    /// The same from the Instance ID service, which tells all of them at once.
    case information(about: Registration)

    package var registration: Registration {
        switch self {
        case .subscriptions(let registration, _), .information(let registration): registration
        }
    }
}

extension Query {
    /// The most subscriptions on one page. It is also the most topics that one app instance can have.
    static let pageSize = 2000

    var service: WireRequest.Service {
        switch self {
        case .subscriptions: .fcm
        case .information: .iid
        }
    }

    /// With its query.
    func path(of project: Project) -> String {
        let segment = registration.rawValue.percentEncodedSegment
        switch self {
        case .subscriptions(_, let mark):
            let page = mark.map { "&page_token=\($0.rawValue.percentEncodedSegment)" } ?? ""
            return "/v1/projects/\(project.id.percentEncodedSegment)/registrations/\(segment)/topicSubscriptions"
                + "?page_size=\(Self.pageSize)\(page)"
        case .information: return "/iid/info/\(segment)?details=true"
        }
    }
}
