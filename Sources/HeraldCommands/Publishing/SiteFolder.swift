import Foundation
import HeraldCore
import HeraldStore
import Synchronization

/// The folder that a site is in. A new site takes the place of the old one as a whole, so that nobody sees half of one.
struct SiteFolder {
    private let path: String
    /// As a person wrote it.
    private let name: String

    /// Says that the folder holds a site, and lists the site's files.
    private static let marker = ".herald-site"
    private static let format = "herald.site/1"

    /// Throws if the folder holds anything that herald did not write there.
    init(_ name: String) throws {
        try CommandFailure.require(path: name, "the folder of the site")
        self.name = name
        path = URL(filePath: name.absolute(in: nil)).resolvingSymlinksInPath().standardizedFileURL.path
        try check()
    }

    private func check() throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return }
        guard isFolder.boolValue, path != "/" else {
            throw CommandFailure(.wrong, "\(name) is no folder for a site", help: "name another one with --out")
        }
        let found = try files()
        if found.isEmpty { return }
        guard let known = marked else {
            throw CommandFailure(
                .wrong, "\(name) is not empty and holds no site of herald's; nothing was changed",
                help: "name an empty or a new folder with --out")
        }
        guard let stranger = found.subtracting(known).min() else { return }
        throw CommandFailure(
            .wrong, "\(name) holds a file that herald did not write: \(stranger.printable); nothing was changed",
            help: "move it elsewhere: the whole folder is replaced")
    }

    /// Everything in the folder that is no folder.
    private func files() throws -> Set<String> {
        guard let all = FileManager.default.enumerator(atPath: path) else {
            throw CommandFailure.unreadable("the folder \(name)")
        }
        var files: Set<String> = []
        for case let file as String in all {
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(file)")
            if attributes?[.type] as? FileAttributeType != .typeDirectory { files.insert(file) }
        }
        return files
    }

    /// What the last site consists of. `nil` if there is none.
    private var marked: Set<String>? {
        let marker = "\(path)/\(Self.marker)"
        // A link could lead to something without end.
        let attributes = try? FileManager.default.attributesOfItem(atPath: marker)
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            let bytes = FileManager.default.contents(atPath: marker)
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        guard lines.first == Self.format else { return nil }
        return Set(lines.dropFirst() + [Self.marker])
    }

    // MARK: Writing

    /// Writes the pages beside the folder, and then puts them in its place. If anything fails, the old site stays.
    func replace(with pages: [SitePage]) throws {
        let (above, last) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        let draft = "\(above)/.\(last).\(getpid()).tmp"
        do {
            try FileManager.default.createDirectory(atPath: above, withIntermediateDirectories: true)
            // A process with this number may have left one when it crashed.
            try? FileManager.default.removeItem(atPath: draft)
            defer { try? FileManager.default.removeItem(atPath: draft) }
            try write(pages, to: draft)
            try check()
            try swap(draft)
        } catch let failure as CommandFailure { throw failure } catch {
            throw CommandFailure(
                .wrong, "the site cannot be written to \(name); what was there is unchanged",
                help: "name a folder inside one that you may write to; it cannot be a mount point")
        }
    }

    private func write(_ pages: [SitePage], to draft: String) throws {
        let folders = Set(pages.map { ("\(draft)/\($0.path)" as NSString).deletingLastPathComponent } + [draft])
        for folder in folders.sorted() {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        let hasFailed = Mutex(false)
        DispatchQueue.concurrentPerform(iterations: pages.count) { number in
            let page = pages[number]
            if hasFailed.withLock({ $0 }) || Self.write(page.html(), to: "\(draft)/\(page.path)") { return }
            hasFailed.withLock { $0 = true }
        }
        let list = ([Self.format] + pages.map(\.path).sorted()).map { "\($0)\n" }.joined()
        guard !hasFailed.withLock({ $0 }), Self.write(list, to: "\(draft)/\(Self.marker)") else {
            throw PrivateFile.Failure()
        }
    }

    /// A server of pages runs as somebody else, so anybody may read them.
    private static func write(_ text: String, to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return false }
        let isWritten = writeAll(text, to: descriptor)
        return close(descriptor) == 0 && isWritten
    }

    /// Afterwards the draft is the old site, if there was one.
    private func swap(_ draft: String) throws {
        // Also where there is an empty folder.
        if rename(draft, path) == 0 { return }
        let old = "\(draft).old"
        guard rename(path, old) == 0 else { throw PrivateFile.Failure() }
        guard rename(draft, path) == 0 else {
            rename(old, path)
            throw PrivateFile.Failure()
        }
        rename(old, draft)
    }
}
