import FCMClient
import Foundation
import HeraldCore

/// The file with the credentials that a run signs in with.
struct KeyFile {
    private let path: String
    private let origin: Origin

    /// Where the file's name comes from, as messages put it.
    private enum Origin: String {
        case settings = "fcm.credentials"
        case option = "--credentials"
        case environment = "GOOGLE_APPLICATION_CREDENTIALS"
        case gcloud = "gcloud's default credentials"
    }

    /// The name in messages.
    var name: String { "\(origin.rawValue): \(path)" }

    /// Real key files have a few kilobytes.
    private static let maximumSize = 1 << 20

    /// The file that is named, that GOOGLE_APPLICATION_CREDENTIALS names, or gcloud's own, in this order. `nil` if there
    /// is none.
    ///
    /// - Parameter folder: The workspace's path. `nil` if the name comes from the command line.
    static func find(
        _ named: String?, in folder: String?, environment: [String: String]
    ) -> KeyFile? {
        if let named {
            return KeyFile(path: named.absolute(in: folder), origin: folder == nil ? .option : .settings)
        }
        if let path = environment["GOOGLE_APPLICATION_CREDENTIALS"], !path.isEmpty {
            return KeyFile(path: path.absolute(in: nil), origin: .environment)
        }
        // https://cloud.google.com/docs/authentication/application-default-credentials
        let home = environment["HOME"].map { "\($0)/.config/gcloud" }
        guard let folder = environment["CLOUDSDK_CONFIG"] ?? home else { return nil }
        let path = "\(folder)/application_default_credentials.json"
        return FileManager.default.fileExists(atPath: path) ? KeyFile(path: path, origin: .gcloud) : nil
    }

    /// The service account that the key in the file belongs to.
    func account() throws -> ServiceAccount {
        let origin = origin.rawValue
        if [.settings, .option].contains(self.origin), let repository = GitFolder.containing(path) {
            throw CommandFailure(
                .wrong,
                "\(origin): \(path) lies inside the git repository \(repository); keep key files outside of git"
            )
        }
        guard let handle = FileHandle(forReadingAtPath: path),
            let bytes = try? handle.read(upToCount: Self.maximumSize + 1)
        else { throw CommandFailure(.wrong, "\(origin): the key file \(path) cannot be read") }
        guard bytes.count <= Self.maximumSize else {
            throw CommandFailure(.wrong, "\(origin): \(path) is too large for a key file")
        }
        do {
            return try ServiceAccount(keyFile: bytes)
        } catch {
            throw CommandFailure(.wrong, "\(origin): \(path): \(error)")
        }
    }
}
