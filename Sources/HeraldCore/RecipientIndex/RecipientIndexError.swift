/// Why lists cannot be brought together.
package enum RecipientIndexError: Error, Hashable, Sendable, CustomStringConvertible {
    /// They are sorted in a file, and there is no room for it or no right to make it.
    case noRoom(folder: String, detail: String)
    /// The state has an installation twice: it is damaged.
    case recordedTwice
    /// They name more recipients than there are numbers.
    case tooMany

    package var description: String {
        switch self {
        case .noRoom(let folder, let detail):
            "the lists are sorted in a temporary file, which cannot be written in \(folder): \(detail); "
                + "TMPDIR names another folder"
        case .recordedTwice: "a recipient is in it twice"
        case .tooMany: "the lists name more than \(ListedRecipients.lastNumber) recipients"
        }
    }
}
