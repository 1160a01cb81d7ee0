import HeraldCore

/// What a workspace's state belongs to, as far as the files say it.
struct StateOwner {
    var project: String?
    var endpoint: EndpointKind?
    var workspace: String?
}
