internal import FCM

/// What every page of a site has around it.
struct SiteFrame {
    /// The page's own path in the site.
    var path: String
    /// Where the site is, without a slash at the end. `nil` if that is not known.
    var base: String?

    /// What the links of a page begin with.
    static func root(of path: String) -> String { path.contains("/") ? "../" : "" }

    private static let pages = [
        ("What goes out", "index.html"), ("Runs", "runs.html"), ("Changes", "changes.html"), ("Health", "health.html"),
    ]

    var values: [String: JSONValue] {
        [
            "pages": .array(
                Self.pages.map { name, page in
                    [
                        "name": .string(name), "href": .string(Self.root(of: path) + page),
                        "isCurrent": .bool(page == path),
                    ]
                }),
            "canonical": base.map { .string("\($0)/\(path == "index.html" ? "" : path)") } ?? .null,
        ]
    }
}

/// One file of a site. It is made when it is written, so that a large site needs little memory.
package struct SitePage: Sendable {
    /// Relative to the site, with slashes.
    package let path: String
    package let html: @Sendable () -> String
}
