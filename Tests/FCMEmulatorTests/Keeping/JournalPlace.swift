/// A path without a file. A file that is made there is deleted with this object.
final class JournalPlace: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "emulator-\(UUID().uuidString).data").path

    init(_ text: String? = nil) throws { if let text { try write(Array(text.utf8)) } }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }
    func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }
    func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }
}
