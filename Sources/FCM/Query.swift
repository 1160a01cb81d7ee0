/// A request that reads: it changes nothing at FCM and may be repeated at will.
package enum Query: Hashable, Sendable {
    /// Which topics a registration is subscribed to. A page holds all of them, unless FCM gives shorter ones; then
    /// `after` names where the next page begins.
    case subscriptions(of: Registration, after: SubscriptionPage.Mark?)
}

extension Query {
    /// The most subscriptions on one page. It is also the most topics that one app instance can have.
    static let pageSize = 2000

    /// Below the project, with its query.
    var path: String {
        switch self {
        case .subscriptions(let registration, let mark):
            let page = mark.map { "&page_token=\($0.rawValue.percentEncodedSegment)" } ?? ""
            return "registrations/\(registration.rawValue.percentEncodedSegment)/topicSubscriptions"
                + "?page_size=\(Self.pageSize)\(page)"
        }
    }
}
