internal import FCM

/// What an audience's file says about the columns of its list. Columns that it does not name are `nil`.
package struct ListColumns: Hashable, Sendable {
    package var token: Located<String>?
    package var fid: Located<String>?
    package var seen: Located<String>?

    package init(token: Located<String>? = nil, fid: Located<String>? = nil, seen: Located<String>? = nil) {
        (self.token, self.fid, self.seen) = (token, fid, seen)
    }

    /// All that it names.
    var named: [Located<String>] { [token, fid, seen].compactMap(\.self) }

    var names: ColumnNames {
        guard token != nil || fid != nil else { return ColumnNames(seen: seen?.value) }
        return ColumnNames(token: token?.value, fid: fid?.value, seen: seen?.value)
    }
}

/// The columns that herald reads from a list, besides those that filters use.
struct ColumnNames: Hashable, Sendable {
    /// `nil` for a kind of registration that the list does not have.
    var token: String? = "token"
    var fid: String? = "fid"
    /// When the app instance last showed itself.
    var seen: String?

    /// The fid comes first, since FCM prefers it to the token.
    var registrations: [(kind: Registration.Kind, name: String)] {
        [(.fid, fid), (.token, token)].compactMap { kind, name in name.map { (kind, $0) } }
    }

    /// The column of a kind of registration. Its usual name if the list does not have it.
    subscript(kind: Registration.Kind) -> String {
        switch kind {
        case .token: token ?? kind.rawValue
        case .fid: fid ?? kind.rawValue
        }
    }

    var all: Set<String> { Set([token, fid, seen].compactMap(\.self)) }

    func holdsRegistrations(_ column: String) -> Bool { column == token || column == fid }
}
