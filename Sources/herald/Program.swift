import HeraldCommands

@main
enum Program {
    static func main() async { await HeraldProgram.main() }
}
