internal import Glibc

/// Paints a planet before stars, the same on every machine (IEEE 754).
struct DemoPainter {
    /// Linear red, green and blue.
    private typealias Colour = SIMD3<Double>

    private let size: DemoPhoto.Size
    private let centre: (x: Double, y: Double)
    private let radius: Double
    private let light: (x: Double, y: Double, z: Double)
    private let surface: [Colour]
    private let bands: Double
    private let waver: Double
    private let glow: Colour
    private let glowPosition: (x: Double, y: Double)
    private let ring: (inner: Double, outer: Double, tilt: Double)?
    private let starSeed: UInt64

    init(photo: DemoPhoto, size: DemoPhoto.Size) {
        var random = photo.random(2)
        self.size = size
        centre = (0.75 * (random.unit() - 0.5) + 0.75, 0.4 * (random.unit() - 0.5) + 0.5)
        radius = 0.2 + 0.28 * random.unit()
        let x = 2 * random.unit() - 1
        let y = 1.2 * random.unit() - 0.8
        let length = (x * x + y * y + 0.3).squareRoot()
        light = (x / length, y / length, 0.3.squareRoot() / length)
        let base = Self.hue(random.unit(), saturation: 0.15 + 0.4 * random.unit())
        let second = Self.hue(random.unit(), saturation: 0.25)
        surface = [base, base.mixed(with: second, 0.55), base * 0.7, second * 0.9]
        bands = 3 + 9 * random.unit()
        waver = 0.5 + 1.5 * random.unit()
        glow = Self.hue(random.unit(), saturation: 0.7) * (0.04 + 0.12 * random.unit())
        glowPosition = (1.5 * random.unit(), random.unit())
        let inner = 1.3 + 0.2 * random.unit()
        let outer = inner + 0.35 + 0.4 * random.unit()
        let tilt = 0.18 + 0.25 * random.unit()
        ring = random.below(4) == 0 ? (inner, outer, tilt) : nil
        starSeed = random.next()
    }

    /// RGB, three bytes a pixel, row by row.
    func pixels() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size.width * size.height * 3)
        let scale = 1 / Double(size.height)
        for row in 0..<size.height {
            for column in 0..<size.width {
                let colour = colour(x: (Double(column) + 0.5) * scale, y: (Double(row) + 0.5) * scale)
                for value in [colour.x, colour.y, colour.z] {
                    // The square root approximates the display's gamma.
                    bytes.append(UInt8(min(max(value, 0), 1).squareRoot() * 255 + 0.5))
                }
            }
        }
        return bytes
    }

    /// The colour of a point; the image is 1 high and 1.5 wide.
    private func colour(x: Double, y: Double) -> Colour {
        let dx = (x - centre.x) / radius
        let dy = (y - centre.y) / radius
        let distance = dx * dx + dy * dy
        var colour = sky(x: x, y: y)
        if distance < 1 {
            // Blend one pixel of the limb with the sky.
            let edge = min(1, (1 - distance.squareRoot()) * radius * Double(size.height))
            colour = colour.mixed(with: planet(dx: dx, dy: dy, depth: (1 - distance).squareRoot()), edge)
        }
        guard let ring else { return colour }
        let flat = (dx * dx + dy / ring.tilt * (dy / ring.tilt)).squareRoot()
        guard flat > ring.inner, flat < ring.outer, distance >= 1 || dy > 0 else { return colour }
        let place = (flat - ring.inner) / (ring.outer - ring.inner)
        let density = 0.75 * triangle(place * 4) + 0.15
        return colour.mixed(with: surface[1] * 0.8, density)
    }

    private func planet(dx: Double, dy: Double, depth: Double) -> Colour {
        let sunlight = max(0, dx * light.x + dy * light.y + depth * light.z)
        let turbulence = triangle(dx * waver + dy * 2.3) * triangle(dx * 3.1 - dy * waver)
        let band = (dy + 1) * bands / 2 + turbulence * 0.35
        let lower = Int(band.rounded(.down))
        let share = band - Double(lower)
        let smooth = share * share * (3 - 2 * share)
        let ground = shade(lower).mixed(with: shade(lower + 1), smooth)
        // The limb of an atmosphere is brighter and bluer than the ground below.
        let haze = Colour(0.25, 0.4, 0.6) * ((1 - depth) * (1 - depth) * 0.6)
        return (ground + haze) * (sunlight * 1.1 + 0.012)
    }

    private func shade(_ band: Int) -> Colour { surface[((band % 4) + 4) % 4] }

    private func sky(x: Double, y: Double) -> Colour {
        let gx = x - glowPosition.x
        let gy = y - glowPosition.y
        let base = Colour(0.004, 0.005, 0.01) + glow * (1 / (1 + 14 * (gx * gx + gy * gy)))
        // The grid of the stars is the same in every size.
        let cellX = Int((x * 32).rounded(.down))
        let cellY = Int((y * 32).rounded(.down))
        var random = SplitMix64(state: starSeed ^ UInt64(truncatingIfNeeded: cellX &* 131 &+ cellY))
        guard random.below(12) == 0 else { return base }
        let sx = x * 32 - Double(cellX) - 0.3 - 0.4 * random.unit()
        let sy = y * 32 - Double(cellY) - 0.3 - 0.4 * random.unit()
        // Most are faint, and all are points: in a small image the few bright ones alone are seen.
        let share = random.unit()
        let bright = share * share * share * share
        let brightness = 0.02 + 3 * bright * bright
        let falloff = max(0, 1 - (sx * sx + sy * sy) / (0.2 * 0.2))
        let tint = Colour(1, 0.82, 0.64).mixed(with: Colour(0.7, 0.84, 1), random.unit())
        return base + tint * (brightness * falloff * falloff * falloff)
    }

    /// A wave of period 1 between 0 and 1, in place of a sine.
    private func triangle(_ value: Double) -> Double {
        let share = value - value.rounded(.down)
        let ramp = share < 0.5 ? 2 * share : 2 - 2 * share
        return ramp * ramp * (3 - 2 * ramp)
    }

    private static func hue(_ turn: Double, saturation: Double) -> Colour {
        func channel(_ offset: Double) -> Double {
            let place = turn + offset
            let share = place - place.rounded(.down)
            let ramp = min(max(abs(share * 6 - 3) - 1, 0), 1)
            let value = 1 - saturation * (1 - ramp)
            return value * value
        }
        return Colour(channel(0), channel(2.0 / 3), channel(1.0 / 3))
    }
}

extension SIMD3<Double> {
    fileprivate func mixed(with other: Self, _ share: Double) -> Self { self * (1 - share) + other * share }
}
