package import FCM

extension FailureCode {
    /// What happened, in a sentence or two for people.
    package var meaning: String {
        switch self {
        case .unregistered:
            "The registration is dead: the app was removed, its data cleared, or it was silent for 270 days."
        case .invalidArgument:
            "FCM does not take the request: the registration is malformed, or something in the message is wrong. The message beside the code says which."
        case .senderIDMismatch:
            "The registration belongs to another project. If every one does, the credential is the wrong one."
        case .quotaExceeded: "More messages than the project, the topic or the device may have at a time."
        case .thirdPartyAuth, .apnsAuth:
            "Apple, or the browser's push service, refuses the project's key: it is missing, expired or for another environment."
        case .unspecified: "FCM gives no reason."
        case .unavailable: "FCM is overloaded and has not taken the request."
        case .internal: "Something went wrong within FCM."
        case .unauthenticated: "FCM does not take the access token."
        case .permissionDenied: "The credential may not do this, or the API is not enabled for the project."
        case .permissionMissing: "The account that herald signs in with lacks a permission in this project."
        case .apiDisabled: "The API is not enabled for the project."
        case .userProjectDenied: "The account may not use the quota project (x-goog-user-project)."
        case .quotaProjectMissing: "A person's credential needs a quota project, and none is set."
        case .notFound: "There is no such thing: a registration that is gone, or a project of another name."
        case .resourceExhausted: "Too many requests in a short time."
        case .failedPrecondition: "The project or the registration is not in a state in which this is possible."
        case .aborted: "Something else changed the same thing at that moment."
        case .unimplemented: "This server does not have the API."
        case .unknown: "FCM, or another server of Google's, gives no reason."
        case .deadlineExceeded: "FCM, or something on the way there, gave up waiting."
        case .tooManyTopics: "The app instance follows 2,000 topics, and more it cannot."
        case .notSent: "No connection was made, or nothing of the request had left when it was lost."
        case .connectionLost:
            "The connection was lost, or the time was over, after the request had left and before its answer was complete."
        case .unreadableResponse: "The answer says that it went well, and does not look like FCM's."
        case .notPossible: "The request cannot be made as it is."
        case .noRegistration: "The state does not know under which registration the recipient can be reached now."
        case .interrupted: "An earlier run ended between the request and its answer."
        case .retryLater: "FCM asks to be left alone for longer than something else can wait."
        }
    }

    /// What herald does about it.
    package var consequence: String {
        switch self {
        case .unregistered:
            "It is forgotten (`state export --dead` lists it), unless too many are said to be dead at once, or nothing that succeeded in the run shows whether to believe it: then it is rejected and kept."
        case .invalidArgument:
            "A malformed registration is rejected alone. If the message is at fault, the campaign stops: everybody's would be refused."
        case .senderIDMismatch: "It is rejected and kept: a wrong credential must not make a list look dead."
        case .quotaExceeded, .resourceExhausted:
            "The whole budget waits, as long as FCM asks for or at least a minute, and tries again."
        case .thirdPartyAuth, .apnsAuth: "It is rejected and not tried again in this run; other platforms go on."
        case .unavailable:
            "It is tried again after FCM's `Retry-After`, or ten seconds and more, and a send counts as a possible duplicate. If the answer was not in FCM's own form, or with `on_error: hold`, a send is unknown, and held."
        case .internal, .unspecified, .unknown:
            "A send to one registration is tried again and counts as a possible duplicate. One to a topic, a condition or a group may have gone out: it is unknown, and held. So is every send if the answer was not in FCM's own form, or with `on_error: hold`."
        case .unauthenticated: "A new access token is asked for, once; then the campaign stops."
        case .permissionDenied, .permissionMissing, .userProjectDenied, .quotaProjectMissing, .failedPrecondition:
            "The step stops, as it would be so for everybody."
        case .aborted: "A membership is asked for again. A send stops the campaign."
        case .apiDisabled:
            "A send stops the campaign. Memberships go to the Instance ID service with `topic_api: auto`; otherwise the step stops."
        case .unimplemented:
            "Memberships go to the Instance ID service with `topic_api: auto`; otherwise the step stops. A send is unknown, and held."
        case .notFound:
            "For a subscription the registration is forgotten. A send stops the campaign: the project or its address is wrong."
        case .deadlineExceeded, .connectionLost:
            "A send may have gone out: it is unknown, held and never repeated by itself (`state resolve`). A membership is asked for again."
        case .unreadableResponse: "As for a lost connection."
        case .tooManyTopics: "It is rejected; something else must be unsubscribed first."
        case .notSent: "It is tried again: nobody can have got it."
        case .notPossible: "The step stops; the message beside the code says why."
        case .noRegistration: "It is rejected."
        case .interrupted: "It is unknown, and held until `state resolve`."
        case .retryLater: "The next run goes on with it."
        }
    }

    /// What a person does about it. `nil` if there is nothing to do, or if the sentences above say it.
    package var remedy: String? {
        switch self {
        case .senderIDMismatch: "Compare `project` in herald.yaml with the project that the app is built for."
        case .quotaExceeded, .resourceExhausted:
            "Lower `fcm.rate` to what the project may send."
        case .thirdPartyAuth, .apnsAuth:
            "Renew the APNs key, or the web push key, in the Firebase console: Project settings, Cloud Messaging."
        case .unauthenticated: "Make a new key for the account, or sign in again."
        case .permissionDenied, .permissionMissing:
            "Give the account a role with cloudmessaging.messages.create in this project (docs/how-to/first-real-send.md)."
        case .apiDisabled:
            "Enable the Firebase Cloud Messaging API (fcm.googleapis.com) for the project in the Google Cloud console, and wait a few minutes."
        case .userProjectDenied:
            "Give the account the role roles/serviceusage.serviceUsageConsumer in the quota project, or set GOOGLE_CLOUD_QUOTA_PROJECT to a project where it has it."
        case .quotaProjectMissing:
            "Set GOOGLE_CLOUD_QUOTA_PROJECT to the project, or run `gcloud auth application-default set-quota-project PROJECT`."
        case .notFound:
            "Compare `project` in herald.yaml with the project's id in the Firebase console, and look at `fcm.endpoint`."
        case .notSent, .deadlineExceeded, .connectionLost:
            "If it happens often, look at the network, the proxy and `fcm.endpoint`."
        case .unreadableResponse: "Look at `fcm.endpoint` and at proxies on the way."
        case .invalidArgument:
            "Read the message beside the code. If it is about the message, correct the campaign's file and run again."
        default: nil
        }
    }
    /// What shows more of it. `nil` if nothing does.
    package var diagnosis: String? {
        switch self {
        case .quotaExceeded, .resourceExhausted: "`herald doctor` shows the quota that FCM told."
        case .unauthenticated, .permissionDenied:
            "`herald doctor` shows which credential is used and what Google says of it."
        default: nil
        }
    }
}
