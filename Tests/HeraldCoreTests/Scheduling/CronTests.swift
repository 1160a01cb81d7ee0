import Testing

@testable import HeraldCore

struct CronTests {
    @Test(arguments: [
        ("* * * * *", "* * * * *"),
        ("30 9 * * MON", "30 9 * * 1"),
        ("  0\t0  1 jan,Jul *  ", "0 0 1 1,7 *"),
        ("*/15 * * * *", "*/15 * * * *"),
        ("0,15,30,45 * * * *", "*/15 * * * *"),
        ("0-59 0-23 * 1-12 *", "* * * * *"),
        ("0-59/20 * * * *", "*/20 * * * *"),
        ("5-59/20 * * * *", "5,25,45 * * * *"),
        ("1,2,3,10-12,11,59 * * * *", "1-3,10-12,59 * * * *"),
        ("0 9-17 * * 1-5", "0 9-17 * * 1-5"),
        ("0 0 * * 7", "0 0 * * 0"),
        ("0 0 * * SUN", "0 0 * * 0"),
        ("0 0 * * 0-7", "0 0 * * 0-6"),
        ("0 0 * * FRI-SUN", "0 0 * * 0,5,6"),
        ("0 0 * * 5-0", "0 0 * * 0,5,6"),
        ("0 0 * * 1-7/2", "0 0 * * 0,1,3,5"),
        ("0 0 1-31 * MON", "0 0 1-31 * 1"),
        ("0 0 */2 * MON", "0 0 */2 * 1"),
        ("0 0 */1 * *", "0 0 * * *"),
        ("0 0 */20,5 * MON", "0 0 */31,5,21 * 1"),
        ("007 09 * * *", "7 9 * * *"),
    ])
    func `ways to write the same fields have one text`(_ written: String, _ canonical: String) throws {
        let cron = try Cron(parsing: written)
        #expect(cron.description == canonical)
        #expect(try Cron(parsing: canonical) == cron)
    }

    @Test(arguments: [
        ("", "a cron has five fields (minute, hour, day of month, month, day of week), not 0", 0, 0),
        ("0 9 * *", "a cron has five fields (minute, hour, day of month, month, day of week), not 4", 0, 7),
        ("0 0 9 * * MON", "a cron has five fields, and 'MON' is beyond them", 10, 3),
        ("0 9 * * * a  b ", "a cron has five fields, and 'a  b' is beyond them", 10, 4),
        ("@daily", "'@daily' is not a cron of five fields", 0, 6),
        ("75 9 * * *", "minute '75' is not from 0 to 59", 0, 2),
        ("0 24 * * *", "hour '24' is not from 0 to 23", 2, 2),
        ("0 9 0 * *", "day of month '0' is not from 1 to 31", 4, 1),
        ("0 9 1,32 * *", "day of month '32' is not from 1 to 31", 6, 2),
        ("0 9 * 13 *", "month '13' is not from 1 to 12, nor JAN to DEC", 6, 2),
        ("0 9 * July *", "month 'July' is not from 1 to 12, nor JAN to DEC", 6, 4),
        ("0 9 * * 8", "day of week '8' is not from 0 to 7, nor SUN to SAT", 8, 1),
        ("0 9 * * MON-XXX", "day of week 'XXX' is not from 0 to 7, nor SUN to SAT", 12, 3),
        ("-1 9 * * *", "minute '-1' is no range", 0, 2),
        ("+1 9 * * *", "minute '+1' is not from 0 to 59", 0, 2),
        ("1. 9 * * *", "minute '1.' is not from 0 to 59", 0, 2),
        ("99999999999999999999 9 * * *", "minute '99999999999999999999' is not from 0 to 59", 0, 20),
        ("٣ 9 * * *", "minute '٣' is not from 0 to 59", 0, 1),
        ("0 17-9 * * *", "hour '17-9' runs backwards", 2, 4),
        ("0 9 * * FRI-MON", "day of week 'FRI-MON' runs backwards", 8, 7),
        ("0 9- * * *", "hour '9-' is no range", 2, 2),
        ("0 1-2-3 * * *", "hour '1-2-3' is no range", 2, 5),
        ("0 *-3 * * *", "hour '*' is not from 0 to 23", 2, 1),
        ("1,,2 9 * * *", "minute '1,,2' has an empty place", 0, 4),
        ("0 9, * * *", "hour '9,' has an empty place", 2, 2),
        ("*/0 * * * *", "the step '0' of minute is not from 1 to 59", 2, 1),
        ("*/60 * * * *", "the step '60' of minute is not from 1 to 59", 2, 2),
        ("0 */x * * *", "the step 'x' of hour is not from 1 to 23", 4, 1),
        ("*/ * * * *", "minute '*/' has an empty step", 0, 2),
        ("*/2/3 * * * *", "minute '*/2/3' has more than one step", 0, 5),
        ("5/15 * * * *", "minute '5/15' has a step without a range, as in 5-59/15", 0, 4),
        ("0 0 L * *", "day of month 'L': 'L' has no meaning here", 4, 1),
        ("0 0 15W * *", "day of month '15W': 'W' has no meaning here", 4, 3),
        ("0 0 ? * MON", "day of month '?': '?' has no meaning here", 4, 1),
        ("0 0 * * MON#2", "day of week 'MON#2': '#' has no meaning here", 8, 5),
        ("0\u{A0}9 * * * *", "minute '0\u{A0}9' is not from 0 to 59", 0, 3),
        ("0 🐟 * * *", "hour '🐟' is not from 0 to 23", 2, 1),
    ])
    func `a mistake is quoted and located`(_ text: String, _ message: String, _ offset: Int, _ length: Int) {
        #expect(throws: CronError(message: message, offset: offset, length: length)) { try Cron(parsing: text) }
    }

    @Test(arguments: [
        ("0 0 30 2 *", false), ("0 0 30,31 2 *", false), ("0 0 31 4,6,9,11 *", false), ("0 0 29 2 *", true),
        ("0 0 31 4,5 *", true), ("0 0 30 2 MON", true), ("0 0 30 2 0-7", true), ("0 0 */31 2 *", true),
        ("29 2 30 2 *", false),
    ])
    func `days that no month has are seen`(_ text: String, _ canFire: Bool) throws {
        #expect(try Cron(parsing: text).canFire == canFire)
    }
}
