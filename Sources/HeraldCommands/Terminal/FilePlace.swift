import Foundation

/// What lies at a path, behind links.
struct FilePlace {
    /// Where the links lead. The path itself while nothing is there.
    let path: String
    /// `nil` if nothing is there.
    let kind: FileAttributeType?
    /// In bytes.
    let size: Int

    init(_ path: String) {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        let known = try? FileManager.default.attributesOfItem(atPath: resolved)
        kind = known?[.type] as? FileAttributeType
        size = known?[.size] as? Int ?? 0
        self.path = kind == nil ? path : resolved
    }

    /// Reading anything else could take forever.
    var isFile: Bool { kind == .typeRegular }
}
