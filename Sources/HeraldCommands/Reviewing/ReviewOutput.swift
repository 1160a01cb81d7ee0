import Foundation
import HeraldCore

/// The files that a review leaves for a CI.
struct ReviewOutput {
    private let folder: String
    private let files: ReviewedFiles
    private var console: Console { files.common.console }

    private static let names = [
        "plan.md", "plan.html", "plan.json", "diagnostics.sarif", "codequality.json", "terraform.json",
    ]

    init(_ folder: String, _ files: ReviewedFiles) throws {
        (self.folder, self.files) = (folder.absolute(in: nil), files)
        guard !files.leadsOut(self.folder) else {
            throw CommandFailure(
                .wrong, "\(folder) leads out of the repository by a link", help: "name another folder with --out")
        }
        do {
            try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
            // A pull request may bring links with these names, or a plan of its own.
            for name in Self.names { try Self.remove("\(self.folder)/\(name)") }
        } catch {
            throw CommandFailure(
                .wrong, "the review cannot be written to \(self.folder)", help: "name another folder with --out")
        }
    }

    /// Removes a file or a link, if there is one.
    private static func remove(_ path: String) throws {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw PrivateFile.Failure()
    }

    /// For files with mistakes, which have no plan.
    func writeMistakes() throws {
        let comment = files.diagnostics.markdown(named: files.name, in: files.paths)
        try writeDiagnostics()
        try write(comment, to: "plan.md")
        try tellWorkflow(summary: comment, outputs: [("has_changes", "false")])
        showDiagnostics()
    }

    func write(_ document: PlanDocument) throws {
        try writeDiagnostics()
        let comment = document.markdown
        try write(comment, to: "plan.md")
        try write(document.html, to: "plan.html")
        try write(document.json.prettyText, to: "plan.json")
        try write(document.terraform.prettyText, to: "terraform.json")
        try tellWorkflow(summary: comment, outputs: document.outputs)
        showDiagnostics()
        console.result("\(document.headline)\n\(document.conclusion)\nReview: \(folder)\n")
        for refusal in document.refusalLines { console.error("herald: \(refusal)\n") }
    }

    private func writeDiagnostics() throws {
        try write(files.diagnostics.rendered(as: .sarif, in: files.paths), to: "diagnostics.sarif")
        try write(files.diagnostics.codeQuality(in: files.paths).prettyText, to: "codequality.json")
    }

    private func showDiagnostics() {
        if isWorkflow {
            // Lines of files could act as workflow commands. Annotations are escaped.
            console.result(files.diagnostics.rendered(as: .github, in: files.paths))
        } else if !files.loaded.diagnostics.isEmpty {
            console.error(files.diagnostics.text(console.errors))
        }
    }

    // MARK: GitHub Actions

    private var isWorkflow: Bool { files.common.environment["GITHUB_ACTIONS"] == "true" }

    private func tellWorkflow(summary: String, outputs: [(name: String, value: String)]) throws {
        guard isWorkflow else { return }
        try append(summary, to: "GITHUB_STEP_SUMMARY")
        try append(outputs.map { "\($0.name)=\($0.value)\n" }.joined(), to: "GITHUB_OUTPUT")
    }

    private func append(_ text: String, to variable: String) throws {
        guard let path = files.common.environment[variable], !path.isEmpty else { return }
        guard let file = FileHandle(forWritingAtPath: path), (try? file.seekToEnd()) != nil,
            (try? file.write(contentsOf: Data(text.utf8))) != nil
        else {
            throw CommandFailure.unwritable("the file that \(variable) names cannot be written: \(path)")
        }
    }

    private func write(_ text: String, to name: String) throws {
        do { try PrivateFile.write(text, to: "\(folder)/\(name)", mode: 0o644) } catch {
            throw CommandFailure(
                .wrong, "\(folder)/\(name) cannot be written", help: "name another folder with --out")
        }
    }
}
