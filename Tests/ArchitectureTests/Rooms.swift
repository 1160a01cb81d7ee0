/// Which folder may use which. Whoever may use a folder may use what that one uses.
struct Rooms {
    /// Nearest neighbours only.
    let uses: [String: Set<String>]

    /// The folders of `HeraldCore`, as ARCHITECTURE.md draws them.
    static let heraldCore = Rooms(uses: [
        "Diagnostics": [],
        "Scheduling": [],
        "Recipients": [],
        "Personal": ["Diagnostics"],
        "Campaign": ["Diagnostics", "Personal", "Recipients", "Scheduling"],
        "RecipientIndex": ["Campaign"],
        "State": ["Campaign"],
        "Resolving": ["RecipientIndex", "State"],
        "Reviewing": ["Campaign"],
        "Drawing": ["Campaign"],
        "Loading": ["Drawing", "Resolving", "Reviewing"],
        "Converting": ["Loading"],
        "Planning": ["Resolving", "Reviewing"],
        "Observing": ["State"],
        "Running": ["Observing", "Planning"],
        "Reporting": ["Drawing", "Running", "Reviewing"],
    ])

    func allows(_ arrow: Arrow) -> Bool { reach(of: arrow.user).contains(arrow.owner) }

    /// Every folder that this one may use, at whatever distance.
    func reach(of folder: String) -> Set<String> {
        (uses[folder] ?? []).reduce(into: []) { $0.formUnion(reach(of: $1).union([$1])) }
    }
}
