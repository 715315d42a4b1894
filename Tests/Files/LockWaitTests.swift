import Testing

@testable import SpyglassFiles

@Suite("LockWait")
struct LockWaitTests {
    private let wait = LockWait()

    /// Returns the result, and how often the lock was tried, which is free from the attempt `success` on.
    private func retry(for timeout: Duration, success: Int = .max) throws -> (isLocked: Bool, attempts: Int) {
        var attempts = 0
        let isLocked = try wait.retry(for: timeout) {
            attempts += 1
            return attempts >= success
        }
        return (isLocked, attempts)
    }

    @Test("A lock that becomes free is taken, also without a wait")
    func success() throws {
        #expect(try retry(for: .milliseconds(5), success: 3) == (true, 3))
        #expect(try retry(for: .zero, success: 1) == (true, 1))
    }

    @Test("After a timeout nobody waits, until a lock was taken")
    func timeout() throws {
        #expect(try retry(for: .milliseconds(5)) == (false, 6))
        #expect(try retry(for: .seconds(3600)) == (false, 1))
        #expect(try retry(for: .seconds(3600), success: 1) == (true, 1))
        #expect(try retry(for: .milliseconds(2)) == (false, 3))
    }

    @Test("An error ends the wait")
    func failure() {
        let error = FileError("flock", cause: .foreign)
        #expect(throws: error) { try wait.retry(for: .seconds(3600)) { () throws(FileError) in throw error } }
    }
}
