@main
struct Spyglass {
    static func main() {}
}
