extension Schedule {
    /// For people: `every day 08:00 Europe/Rome`, `Tue 2026-12-01 09:00 on each recipient's clock`.
    var words: String {
        switch times {
        case .once: return "once, with the next run"
        case .at(let date): return "\(zone.local(at: date).spoken) \(zone.name)"
        case .cron(let cron, let start, let end):
            let bounds = [("from", start), ("until", end)].compactMap { word, date in
                date.map { ", \(word) \(zone.local(at: $0).spoken)" }
            }
            return cron.words(in: zone) + bounds.joined()
        case .local(let schedule): return schedule.words(besides: zone)
        }
    }
}

extension LocalSchedule {
    fileprivate func words(besides zone: Zone) -> String {
        let clock = "on each recipient's clock"
        switch times {
        case .at(let time, _): return "\(time.spoken) \(clock)"
        case .cron(let cron, let start, let end):
            let bounds = [("from", start), ("until", end)].compactMap { word, time in
                time.map { ", \(word) \($0.spoken)" }
            }
            return "\(cron.words(in: zone, isNamed: false)) \(clock)" + bounds.joined()
        }
    }
}
