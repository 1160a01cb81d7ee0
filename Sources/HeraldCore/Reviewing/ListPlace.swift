/// Where the list that an audience names is found. A file beside the one that names it goes before one in `lists`.
package enum ListPlace: String, Hashable, Sendable {
    /// Beside the file that names it, and not in the folder of lists.
    case workspace
    /// In the folder of lists, or not there yet: then it is expected there.
    case lists
    /// In the folder of lists that is in a folder of lists.
    case nested
}

extension [Definition] {
    /// With a field that says where the list of each audience is found: the same name can be another file elsewhere.
    ///
    /// - Parameter places: by the name of the audience.
    package func with(_ places: [String: ListPlace]) -> [Definition] {
        map { definition in
            guard definition.kind == .audience, let place = places[definition.name] else { return definition }
            return definition.found(at: place)
        }
    }
}

extension Definition {
    fileprivate func found(at place: ListPlace) -> Definition {
        guard let file = fields.firstIndex(where: { $0.path == "source.file" }) else { return self }
        var fields = fields
        // Where a list is expected is no news.
        fields.insert(Field(path: "source.place", value: .place(place), isUsual: place == .lists), at: file + 1)
        return Definition(kind: kind, name: name, previousNames: previousNames, fields: fields, uses: uses)
    }
}
