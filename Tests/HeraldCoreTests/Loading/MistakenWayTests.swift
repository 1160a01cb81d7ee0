import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// Mistakes are the everyday case of every command that reads files, not only of `validate`.
struct MistakenWayTests {
    @Test(arguments: RuleCase.all)
    func `files with and nearly with a mistake pass through all that commands do with them`(
        _ mistake: RuleCase
    ) throws {
        for files in mistake.filled {
            let folder = try TemporaryFolder(["herald.yaml": settingsText].merging(files) { _, given in given })
            try mistake.prepare(folder)
            for lists in ListPolicy.allCases {
                for keepsLists in [true, false] {
                    let loaded = try WorkspaceLoader.load(folder, lists: lists, keepsLists: keepsLists)
                    let way = WholeWay(loaded)
                    #expect(try !way.shown.contains(""), "\(lists), \(keepsLists)")
                }
            }
        }
    }
}
