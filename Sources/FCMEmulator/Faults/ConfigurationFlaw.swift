import FCM

/// What is wrong with a project, or with what an account may do in it. Google's APIs answer 403 to all of these, and
/// only the details tell them apart. The texts are Google's.
enum ConfigurationFlaw: String, Hashable, Sendable, CaseIterable {
    case apiDisabled = "SERVICE_DISABLED"
    case permissionMissing = "IAM_PERMISSION_DENIED"
    /// The account may not use the quota project that `x-goog-user-project` names.
    case userProjectDenied = "USER_PROJECT_DENIED"
    /// A person's credential names no quota project. Google's answer has the reason SERVICE_DISABLED; this name is the
    /// emulator's.
    case quotaProjectMissing = "QUOTA_PROJECT_MISSING"

    var error: GoogleError {
        GoogleError(
            status: .permissionDenied, message: message, details: [.info(reason: reason, metadata: metadata)])
    }

    private var reason: String { self == .quotaProjectMissing ? Self.apiDisabled.rawValue : rawValue }

    private var message: String {
        let number = MetadataService.project.number
        return switch self {
        case .apiDisabled:
            "Firebase Cloud Messaging API has not been used in project \(number) before or it is disabled. Enable it "
                + "by visiting https://console.developers.google.com/apis/api/fcm.googleapis.com/overview?project="
                + "\(number) then retry. If you enabled this API recently, wait a few minutes for the action to "
                + "propagate to our systems and retry."
        case .permissionMissing:
            "Permission 'cloudmessaging.messages.create' denied on resource "
                + "'//cloudresourcemanager.googleapis.com/projects/\(MetadataService.project.id)' (or it may not exist)."
        case .userProjectDenied:
            "Caller does not have required permission to use project \(MetadataService.project.id). Grant the caller "
                + "the roles/serviceusage.serviceUsageConsumer role, or a custom role with the "
                + "serviceusage.services.use permission, and then retry."
        case .quotaProjectMissing:
            "Your application is authenticating by using local Application Default Credentials. The "
                + "fcm.googleapis.com API requires a quota project, which is not set by default. To learn how to set "
                + "your quota project, see https://cloud.google.com/docs/authentication/adc-troubleshooting/user-creds ."
        }
    }

    private var metadata: [String: String] {
        switch self {
        case .apiDisabled:
            ["service": "fcm.googleapis.com", "consumer": "projects/\(MetadataService.project.number)"]
        case .permissionMissing: ["permission": "cloudmessaging.messages.create"]
        case .userProjectDenied: ["consumer": "projects/\(MetadataService.project.id)"]
        // The project of the gcloud program, which is nobody's.
        case .quotaProjectMissing: ["service": "fcm.googleapis.com", "consumer": "projects/764086051850"]
        }
    }
}
