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
        case list(ListFile)
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

    /// The registrations its own source lists, in the order of the source, repetitions included; none where the source
    /// is another audience.
    package var registrations: [Registration] {
        switch source {
        case .list(let list): list.registrations
        case .inline(let registrations): registrations
        case .audience: []
        }
    }
}

/// A file that lists registrations.
package struct ListFile: Hashable, Sendable {
    /// As the audience names it: relative to the audience's own file.
    package var path: Located<String>
    /// In the order of the file; empty until it has been read.
    package var registrations: [Registration] = []
    /// The attributes that filters ask for, by column, each as long as `registrations`; empty text where a row has none.
    package var columns: [String: [String]] = [:]
}
