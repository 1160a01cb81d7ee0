import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct WatchedFilesTests {
    /// What may become of a file after it was read.
    enum Change: CaseIterable {
        case none, deleted, rewritten, added
    }

    @Test(arguments: [true, false], Change.allCases)
    func `a change is noticed, however young the file was when it was read`(_ isYoung: Bool, _ change: Change) throws {
        let folder = try TemporaryFolder(["herald.yaml": "", "a.yaml": "kind: audience\n"])
        // A file counts as settled when reading begins long after its last change.
        let begin = isYoung ? Int64(0) : Int64.max
        var files = WatchedFiles(
            try #require(WorkspaceFolder(at: folder.path)), matching: [Glob("a*.yaml")], ignoring: [],
            names: ["a.yaml", "missing.csv"], since: begin)
        switch change {
        case .none: break
        case .deleted: try FileManager.default.removeItem(atPath: "\(folder.path)/a.yaml")
        case .rewritten: try folder.write("kind: campaign\n", to: "a.yaml")
        case .added: try folder.write("fid\n", to: "missing.csv")
        }
        // Nothing proves that a young file is the one that was read.
        let looks = [files.mayHaveChanged(), files.mayHaveChanged()]
        #expect(looks == [isYoung || change != .none, false])
    }
}
