/// Why the recipient index cannot be built.
package enum RecipientIndexError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The lists are sorted in a file, which has no room or cannot be created.
    case noRoom(folder: String, detail: String)
    /// The state has an installation twice, so it is damaged.
    case recordedTwice
    /// The lists name more recipients than there are numbers.
    case tooMany

    package var description: String {
        switch self {
        case .noRoom(let folder, let detail):
            "the lists are sorted in a temporary file, which cannot be written in \(folder): \(detail)"
        case .recordedTwice: "a recipient is in it twice"
        case .tooMany: "the lists name more than \(ListedRecipients.lastNumber) recipients"
        }
    }

    /// What to do about it.
    package var help: String {
        switch self {
        case .noRoom: "make room there, or set TMPDIR to another folder"
        case .recordedTwice: "restore the newest backup of the state, as docs/how-to/state.md says"
        case .tooMany: "divide the lists between several workspaces"
        }
    }
}
