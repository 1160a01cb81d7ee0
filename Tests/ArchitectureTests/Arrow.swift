/// One file of a folder names a type of another folder.
struct Arrow: Hashable, CustomStringConvertible {
    let user: String
    let file: String
    let type: String
    let owner: String

    var description: String { "\(file) names \(type) of \(owner): \(user) -> \(owner)" }

    /// All arrows between folders, in the order of the files.
    static func all(between folders: [SourceFolder]) -> [Arrow] {
        let owners = Dictionary(
            folders.flatMap { folder in folder.files.flatMap(\.declared).map { ($0, folder.name) } }
        ) { first, _ in first }
        return folders.flatMap { folder in
            folder.files.flatMap { file in
                file.named.subtracting(file.own).sorted().compactMap { type in
                    guard let owner = owners[type], owner != folder.name else { return nil }
                    return Arrow(user: folder.name, file: file.name, type: type, owner: owner)
                }
            }
        }
    }
}
