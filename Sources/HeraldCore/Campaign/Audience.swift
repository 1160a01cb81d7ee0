package import FCM

/// A named set of registrations.
package struct Audience: Hashable, Sendable {
    package var name: Located<String>
    package var source: Source
    /// Where its list is fetched from. `nil` for a list that others put into its place.
    package var origin: Origin?
    /// Rows must pass all of them. The fields and columns are those of the list at the end of the chain of sources.
    package var filters: [Filter] = []
    /// What must have come of its members in a campaign.
    package var followUp: FollowUp?
    /// Other audiences whose members are removed.
    package var exclude: [Located<String>] = []
    /// Former names. The size that guards compare with is carried over.
    package var previousNames: [Located<String>] = []
    /// The columns of its list that messages may use. Only an audience with a list of its own declares any.
    package var fields: [Located<Field>] = []
    /// Made-up rows for reviewers without lists: the texts of some fields, by the field's name. They are checked and
    /// previewed, and never sent.
    package var samples: [Located<[String: Located<String>]>] = []

    /// Where the registrations come from.
    package enum Source: Hashable, Sendable {
        /// A file, with the path as written. It is relative to the audience's own file.
        case list(Located<String>, columns: ListColumns = ListColumns())
        case inline([Registration])
        /// The members of another audience.
        case audience(Located<String>)
    }
}
