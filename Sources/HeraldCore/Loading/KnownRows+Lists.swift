internal import Crypto

extension KnownRows {
    /// What the cache knows of a workspace's unchanged lists; `nil` if everything must be read.
    ///
    /// - Parameter lists: The lists that audiences name.
    init?(of workspace: Workspace, _ lists: [ListLoader.Use], in files: ListCacheFiles) {
        guard let cache = files.cache() else { return nil }
        // The builder is only asked for names, so it needs no folder.
        let builder = RecipientIndexBuilder(workspace, temporaryFolder: "")
        let inline = builder.inlineRows
        var sources = inline.map(\.source)
        var known: [[UInt8]: ListCache.Source] = [:]
        for source in sources { known[source.key] = cache.source(source) }
        for list in lists {
            let source = list.source(builder)
            sources.append(source)
            guard var found = cache.source(source), let reading = found.reading,
                let now = ListReading(of: list.place, unchangedSince: reading, files.now)
            else { continue }
            found.reading = now
            known[source.key] = found
        }
        self.init(numbering: cache.numbering, sources: known)
        if known.count == sources.count, cache.isWhole(for: sources, order: builder.order(inline)) {
            (crossing, withOthers, dead) = (cache.crossing, cache.withOthers, cache.dead)
            isInCache = known.allSatisfy { $0.value.reading == cache.sources[$0.key]?.reading }
            guard let zones = cache.zones(for: workspace) else { return nil }
            self.zones = zones
            return
        }
        // Which row of a recipient has the zone that counts, only all lists together tell.
        if !workspace.sendsByZone.isEmpty { return nil }
        // If a list's rows differ from the state's, only all lists together tell which row counts.
        self.sources = known.filter(\.value.members.isPlain)
        guard self.sources.count < sources.count else { return }
        guard let numbers = files.numbers(for: cache.numbering) else { return nil }
        self.numbers = numbers
    }
}

extension ListCache {
    /// `nil` if some are missing, or if the system has no such zone any more.
    fileprivate func zones(for workspace: Workspace) -> [String: [Zone: RecipientSet]]? {
        var found: [String: [Zone: RecipientSet]] = [:]
        for send in workspace.sendsByZone where found[send.key] == nil {
            guard let known = zones[send.key] else { return nil }
            found[send.key] = [:]
            for (name, members) in known {
                guard let zone = Zone(written: name) else { return nil }
                found[send.key]?[zone] = members
            }
        }
        return found
    }

    fileprivate func source(_ source: RowSource) -> Source? {
        sources[source.key].flatMap { $0.members.members.count == source.owners.count ? $0 : nil }
    }
}

extension ListReading {
    /// The reading of the file as it is now; `nil` if its content has changed or cannot be read.
    fileprivate init?(of place: WorkspaceFolder.Place, unchangedSince known: ListReading, _ now: () -> Int64) {
        let begin = now()
        guard let bytes = try? FileBytes(at: place.path, as: place.name, limit: ListScanner.maximumSize),
            let identity = bytes.identity
        else { return nil }
        if let before = known.identity {
            if before == identity {
                self = known
                return
            }
            if before.size != identity.size { return nil }
        }
        var hash = SHA256()
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 1)
        defer { block.deallocate() }
        var filled = block.count
        while filled == block.count {
            guard let count = try? bytes.read(into: block) else { return nil }
            filled = count
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: block[..<filled]))
        }
        guard known.content.elementsEqual(hash.finalize()) else { return nil }
        self.init(content: known.content, from: identity, unchangedAs: bytes.identity, at: begin)
    }
}
