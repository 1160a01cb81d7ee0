package import FCM

/// A named set of registrations.
package struct Audience: Hashable, Sendable {
    package var name: Located<String>
    package var source: Source
    /// Other audiences whose members are left out.
    package var exclude: [Located<String>] = []

    /// Where its registrations come from.
    package enum Source: Hashable, Sendable {
        case list(ListFile)
        case inline([Registration])
    }

    /// The registrations its own source lists, in the order of the source, repetitions included.
    package var registrations: [Registration] {
        switch source {
        case .list(let list): list.registrations
        case .inline(let registrations): registrations
        }
    }
}

/// A file that lists registrations.
package struct ListFile: Hashable, Sendable {
    /// As the audience names it: relative to the audience's own file.
    package var path: Located<String>
    /// In the order of the file; empty until it has been read.
    package var registrations: [Registration] = []
}
