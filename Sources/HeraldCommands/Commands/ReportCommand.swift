import ArgumentParser
import Foundation
import HeraldCore

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show a saved report, for people or for a CI.",
        discussion: "Needs no workspace. In JUnit's form every step is a test.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "A report that apply, run or test saved.", completion: .file())
    var file: String

    @Option(help: "text, markdown, html or junit.")
    var format: ReportFormat = .text

    func run() throws {
        let common = Common(herald.common, options)
        let document: ReportDocument
        do {
            document = try ReportDocument(reading: try bytes(), reveals: common.revealsRegistrations)
        } catch let error as ReportDocument.ReadingError {
            throw CommandFailure(.wrong, "\(file) \(error.words)", help: error.help)
        }
        common.console.result(document.rendered(as: format, common.console.output))
    }

    private func bytes() throws -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: file),
            let data = try? handle.read(upToCount: ReportDocument.maximumSize + 1)
        else { throw CommandFailure.unreadable("the file \(file)") }
        return Array(data)
    }
}

extension ReportDocument.ReadingError {
    var words: String {
        switch self {
        case .noReport: "is no report of herald's"
        case .otherVersion(let schema): "is a '\(schema)', which this herald does not read"
        case .malformed(let place): "is damaged: what stands at '\(place)' cannot stand there"
        }
    }

    var help: String {
        switch self {
        case .noReport: "name a report that apply, run or test saved; they are in runs/ beside the state"
        case .otherVersion: "show it with the herald that made it; this one reads herald.report/1"
        case .malformed: "get the report anew from the machine that made it"
        }
    }
}
