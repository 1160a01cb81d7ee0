import Foundation
import HeraldCore

/// Lists that stay behind, because their audience has another name now, another format, or is gone.
extension ListFetch {
    /// Removes them: people whom no file names any more may be in them. Where people look at lists, nothing is removed.
    func removeOthers() {
        guard isForPlans else { return }
        let kept = Set(workspace.audiences.compactMap(nameOfFetchedList))
        let notes = Set(kept.map { FetchedList.note(beside: $0) })
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        // herald wrote only those with a note beside them.
        let others = names.filter { name in
            Audience.Origin.Format.allCases.contains { name.hasSuffix(".\($0.rawValue)") } && !kept.contains(name)
                && FetchedList(beside: "\(path)/\(name)") != nil
        }
        for name in others.sorted() {
            for ending in ["", ".new", ".new.gz", ".new.json"] { unlink("\(path)/\(name)\(ending)") }
            let note = FetchedList.note(beside: name)
            if !notes.contains(note) { unlink("\(path)/\(note)") }
            console.info("herald: removed \(FetchedList.folder)/\(name): no audience has it any more\n")
        }
    }

    /// `nil` for an audience that reads no fetched list.
    private func nameOfFetchedList(_ audience: Audience) -> String? {
        guard case .list(let place, _) = audience.source else { return nil }
        let list = folder.path(of: place)
        return list.contains("/\(FetchedList.folder)/") ? list.split(separator: "/").last.map(String.init) : nil
    }
}
