package import FCM

extension SignInCode {
    /// What happened, in a sentence for people.
    package var meaning: String {
        switch self {
        case .invalidGrant:
            "Google does not take the credential any more: the key or the sign-in was revoked, its account is gone, or the clock of this machine is wrong."
        case .invalidClient, .unauthorizedClient, .deletedClient:
            "Google does not know the program that the credential was made for, or does not let it sign in like this."
        case .invalidRequest: "The request for an access token was incomplete: the credential file is damaged."
        case .invalidScope: "The credential may not ask for access to FCM."
        case .invalidTarget: "The workload identity pool or its provider does not exist, or is disabled."
        case .accessDenied: "A rule of the organization forbids this sign-in."
        case .unsupportedGrantType:
            "The token endpoint does not know this kind of credential: its address in the file is wrong."
        }
    }

    /// What a person does about it.
    package var remedy: String {
        switch self {
        case .invalidGrant:
            "Compare the clock with the right time. If it is right, make a new key, or sign in again with `gcloud auth application-default login`."
        case .invalidTarget:
            "Compare `audience` in the credential file with the pool and its provider in the Google Cloud console."
        case .accessDenied: "Ask the administrator of the Google Cloud organization."
        case .invalidClient, .unauthorizedClient, .deletedClient, .invalidRequest, .invalidScope,
            .unsupportedGrantType:
            "Get the credential file anew."
        }
    }
}
