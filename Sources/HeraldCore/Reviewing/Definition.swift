internal import Crypto
package import FCM

/// What the files decide about one resource. Two versions of the files are compared by it, and an approval covers it.
///
/// It says nothing about who stands in a list, only which list it is. Registrations that stand in the file itself are
/// compared, and never shown.
package struct Definition: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case settings, audience, topic, group, campaign
    }

    package struct Field: Hashable, Sendable {
        /// As in the file: `message.notification.title`. No two places have one path (`PathOfKeys`).
        package var path: String
        package var value: Value
        /// Whether it decides what is sent or changed. Others are for readers.
        package var isDecision = true
        /// Whether it is the default, which would hold if the file did not say it.
        package var isUsual = false
    }

    package enum Value: Hashable, Sendable {
        case json(JSONValue)
        /// A time, and the zone in which people speak of it.
        case time(Date, Zone)
        /// Repeated times, and the zone in which they are. The zone is a field of its own, too.
        case cron(Cron, Zone)
        /// Names whose order has no meaning.
        case names(Set<String>)
        case registrations(Set<Registration>)
        case place(ListPlace)
    }

    package let kind: Kind
    /// Empty for the settings.
    package let name: String
    package let previousNames: Set<String>
    /// In the order in which people read them.
    package let fields: [Field]
    /// The resources that it refers to.
    let uses: Set<Key>

    /// Names a resource.
    package struct Key: Hashable, Comparable, Sendable {
        package var kind: Kind
        package var name: String

        package static func < (one: Key, other: Key) -> Bool {
            (one.kind.rawValue, one.name) < (other.kind.rawValue, other.name)
        }

        package init(kind: Kind, name: String) { (self.kind, self.name) = (kind, name) }

        /// The settings of the workspace.
        package static let settings = Key(kind: .settings, name: "")

        /// Reads `campaign:welcome`.
        package init?(_ text: String) {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])),
                parts[1].isEmpty == (kind == .settings)
            else { return nil }
            self.init(kind: kind, name: String(parts[1]))
        }

        /// `campaign:welcome`, and `settings:`.
        package var text: String { "\(kind.rawValue):\(name)" }

        /// For people: `campaign 'welcome'`.
        package var words: String { kind == .settings ? "the settings (herald.yaml)" : "\(kind.rawValue) '\(name)'" }
    }

    package var key: Key { Key(kind: kind, name: name) }

    package subscript(_ path: String) -> Value? { fields.first { $0.path == path }?.value }
}

extension Definition.Value {
    /// A value that is equal only for the same decision. Registrations are in it as a digest.
    var canonical: JSONValue {
        switch self {
        case .json(let value): value
        case .time(let date, _): .string(date.rfc3339)
        case .cron(let cron, _): .string("\(cron)")
        case .names(let names): .array(names.sorted().map { .string($0) })
        case .place(let place): .string(place.rawValue)
        case .registrations(let all):
            .string(
                "sha256:"
                    + SHA256.hash(data: Array(all.map(\.rawValue).sorted().joined(separator: "\n").utf8)).hexadecimal)
        }
    }

    /// The form in documents. Of registrations it has the number.
    package var json: JSONValue {
        if case .registrations(let all) = self { .int(Int64(all.count)) } else { canonical }
    }
}
