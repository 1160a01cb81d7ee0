import ArgumentParser

/// What becomes of what is known of lists.
enum CacheUse {
    /// Lists that did not change are not read.
    case use
    /// All are read, and known from then on.
    case renew
}

struct CacheOptions: ParsableArguments {
    @Flag(help: "Read every list anew, also those that did not change since the last time.")
    var rehash = false

    var use: CacheUse { rehash ? .renew : .use }
}
