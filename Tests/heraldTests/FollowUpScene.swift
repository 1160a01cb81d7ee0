import FCM
import Foundation
import HeraldTestSupport

/// Files with audiences of those of whom something came.
protocol FollowUpScene {}

extension FollowUpScene {
    /// 2027-01-04T00:00:00Z, a Monday
    static var monday: Date { Date(timeIntervalSince1970: 1_799_020_800) }
    static var day: Double { 86_400 }

    static func campaign(_ name: String, to audience: String, _ rest: String = "") -> String {
        """
        kind: campaign
        name: \(name)
        tags: [promo]
        target: {audience: \(audience)}
        message: {notification: {title: \(name)}}
        \(rest)

        """
    }

    static func again(_ outcome: String) -> String {
        "kind: audience\nname: again\nfrom: members\noutcome: \(outcome)\n---\n"
    }

    static func list(_ members: some Sequence<Int>) -> String {
        "fid\n" + members.map { "\(Registration.fid($0).rawValue)\n" }.joined()
    }

    static func files(_ campaigns: String..., members: ClosedRange<Int> = 1...3) -> [String: String] {
        [
            "herald.yaml": """
            herald: 2
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}

            """,
            "members.csv": list(members),
            "audience.yaml": "kind: audience\nname: members\nsource: {file: members.csv}\n",
            "campaigns.yaml": campaigns.joined(separator: "---\n"),
        ]
    }

    func fids(_ numbers: Int...) -> Set<Registration> { Set(numbers.map { .fid($0) }) }
}
