package import FCM

/// A named set of registrations.
package struct Audience: Hashable, Sendable {
    package var name: Located<String>
    package var source: Source
    /// Rows must pass all of them; they see the columns of the list that the source ends at.
    package var filters: [Filter] = []
    /// Other audiences whose members are left out.
    package var exclude: [Located<String>] = []

    /// Where its registrations come from.
    package enum Source: Hashable, Sendable {
        /// A file, as the audience names it: relative to the audience's own file.
        case list(Located<String>)
        case inline([Registration])
        /// Another audience's members.
        case audience(Located<String>)
    }

    /// Lets through rows that have one of the values in a column.
    package struct Filter: Hashable, Sendable {
        package var column: Located<String>
        package var values: Set<String>

        package init(column: Located<String>, values: Set<String>) {
            self.column = column
            self.values = values
        }
    }
}
