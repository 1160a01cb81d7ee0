import Foundation

/// What tells whether files have changed: names, sizes and modification times.
enum FileStamps {
    /// A digest of the files in these folders, dot-files aside.
    static func digest(of folders: [String]) -> String {
        var hasher = Hasher()
        for stamp in folders.flatMap(stamps(in:)).sorted() { hasher.combine(stamp) }
        return String(UInt(bitPattern: hasher.finalize()), radix: 16)
    }

    private static func stamps(in folder: String) -> [String] {
        let keys: Set<URLResourceKey> = [.contentModificationDateKey, .fileSizeKey]
        let files = FileManager.default.enumerator(
            at: URL(filePath: folder), includingPropertiesForKeys: Array(keys), options: [.skipsHiddenFiles])
        return (files?.compactMap { $0 as? URL } ?? []).map { file in
            let values = try? file.resourceValues(forKeys: keys)
            let time = values?.contentModificationDate?.timeIntervalSince1970 ?? 0
            return "\(file.path) \(values?.fileSize ?? 0) \(time)"
        }
    }
}
