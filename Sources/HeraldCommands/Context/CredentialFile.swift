import FCMClient
import Foundation
import HeraldCore

/// A file with a credential, as Google's libraries find it.
/// https://cloud.google.com/docs/authentication/application-default-credentials
struct CredentialFile {
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

    /// Real files have a few kilobytes.
    private static let maximumSize = 1 << 20

    /// The file that is named, that GOOGLE_APPLICATION_CREDENTIALS names, or gcloud's own, in this order. `nil` if there
    /// is none.
    ///
    /// - Parameter folder: The workspace's path. `nil` if the name comes from the command line.
    static func find(
        _ named: String?, in folder: String?, environment: [String: String]
    ) -> CredentialFile? {
        if let named {
            return CredentialFile(path: named.absolute(in: folder), origin: folder == nil ? .option : .settings)
        }
        if let path = environment["GOOGLE_APPLICATION_CREDENTIALS"], !path.isEmpty {
            return CredentialFile(path: path.absolute(in: nil), origin: .environment)
        }
        let home = environment["HOME"].map { "\($0)/.config/gcloud" }
        guard let folder = environment["CLOUDSDK_CONFIG"] ?? home else { return nil }
        let path = "\(folder)/application_default_credentials.json"
        return FileManager.default.fileExists(atPath: path) ? CredentialFile(path: path, origin: .gcloud) : nil
    }

    func credential(trusting hosts: TokenHosts) throws -> Credential {
        let origin = origin.rawValue
        if [.settings, .option].contains(self.origin), let repository = GitFolder.containing(path) {
            throw CommandFailure(
                .wrong,
                "\(origin): \(path) lies inside the git repository \(repository)",
                help: "keep key files outside of git"
            )
        }
        guard let handle = FileHandle(forReadingAtPath: path),
            let bytes = try? handle.read(upToCount: Self.maximumSize + 1)
        else {
            throw CommandFailure.unreadable("\(origin): the credential file \(path)")
        }
        guard bytes.count <= Self.maximumSize else {
            throw CommandFailure(
                .wrong, "\(origin): \(path) is too large for a credential file", help: "name the file that Google made")
        }
        do {
            return try Credential(file: bytes, hosts: hosts)
        } catch {
            throw CommandFailure(.wrong, "\(origin): \(path): \(error)", help: error.help)
        }
    }

    /// What is wrong with the file's permissions; `nil` if nothing is.
    var warning: String? {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: URL(filePath: path).resolvingSymlinksInPath().path)
        guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0 else { return nil }
        return "\(name) can be read by others on this machine; run 'chmod 600' on it"
    }
}
