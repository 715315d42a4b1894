/// How long a figure may take, and when it is good enough.
package struct Effort: Hashable, Sendable {
    /// Samples are taken until then, counted from the first, warm-up left aside.
    package var time: Duration
    /// What a sample takes at least: beside it, reading the clock is nothing.
    package var sampleTime: Duration = .milliseconds(5)
    /// From so many samples on, those that lie close enough together are enough.
    package var enoughSamples = 7
    /// What figures take at least, as a share of `time`: a few samples lie close together by chance.
    package var minShare = 0.2
    /// How close that is: the distance between the quartiles, as a share of the median.
    package var smallSpread = 0.01
    /// What is taken however long it lasts, whatever the effort: fewer samples have no quartiles of their own.
    package let minSamples = 5

    package init(time: Duration) { self.time = time }

    /// For figures that are to be relied on: 1.5 s each.
    package static let standard = Effort(time: .milliseconds(1500))
    /// For a first look, and for tests of the program: 0.15 s each.
    package static let quick = Effort(time: .milliseconds(150))
}
