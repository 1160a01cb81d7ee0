import FCMClient
import HeraldCore

/// The credential that a run signs in with, and where it came from.
struct FoundCredential {
    let credential: Credential
    /// Where it came from, as messages name it: a variable or key with the file's path, or the metadata server.
    let origin: String
    /// What is wrong with the permissions of its file; `nil` if nothing is.
    var fileWarning: String?
    /// The project for quota and billing that the environment names.
    var namedQuotaProject: String?
    /// The projects that variables name, by variable. The workspace's project counts, whatever they are.
    var namedProjects: [(variable: String, project: String)] = []

    var summary: CredentialSummary { credential.summary }

    /// The project for quota and billing (`x-goog-user-project`): the environment's, else the file's. The credential of
    /// a person needs one.
    ///
    /// - Parameter project: The workspace's.
    func quotaProject(for project: String) -> String? {
        namedQuotaProject ?? summary.quotaProject ?? (credential.isPerson ? project : nil)
    }

    /// What a person should know before the credential is used, and what to do about it.
    struct Warning: Hashable {
        let text: String
        let remedy: String
    }

    /// - Parameter project: The workspace's.
    func warnings(for project: String) -> [Warning] {
        var named = namedProjects
        if let own = summary.project { named.append((origin, own)) }
        let others = named.filter { $0.project != project }.map { name, other in
            Warning(
                text: "\(name) is for the project '\(other)'",
                remedy: "Make sure that the account has its role in '\(project)', where messages are sent.")
        }
        let file = fileWarning.map { Warning(text: $0, remedy: "Let nobody else read the file: chmod 600.") }
        return (file.map { [$0] } ?? []) + others
    }
}

extension FoundCredential {
    init(_ file: CredentialFile, trusting hosts: TokenHosts) throws {
        credential = try file.credential(trusting: hosts)
        origin = file.name
        fileWarning = credential.isSecret ? file.warning : nil
    }

    init(_ server: MetadataServer) {
        credential = Credential(server)
        origin = "the metadata server at \(server.place)"
    }

    /// Reads what the environment says about projects.
    mutating func readProjects(in environment: [String: String]) throws {
        for variable in ["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"] {
            if let project = environment[variable], !project.isEmpty { namedProjects.append((variable, project)) }
        }
        let variable = "GOOGLE_CLOUD_QUOTA_PROJECT"
        guard let project = environment[variable], !project.isEmpty else { return }
        guard CredentialSummary.isProject(project) else {
            throw CommandFailure(
                .wrong, "\(variable) is not a project id", help: "set it to an id such as tide-app, or unset it")
        }
        namedQuotaProject = project
    }
}
