import ArgumentParser

/// Whether the cache of read lists is used.
enum CacheUse {
    /// Only lists that changed are read.
    case use
    /// All lists are read, and the cache is written anew.
    case renew
}

struct CacheOptions: ParsableArguments {
    @Flag(help: "Read every list anew, also those that did not change since the last time.")
    var rehash = false

    var use: CacheUse { rehash ? .renew : .use }
}
