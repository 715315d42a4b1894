internal import Glibc

/// Paints one demo picture: a planet in its sun's light, before stars and a glow, some with a ring.
///
/// Only additions, multiplications, divisions and square roots are used, which IEEE 754 defines to the last bit, so that the
/// same photo has the same bytes on every machine.
struct DemoPainter {
    private struct Colour {
        var red: Double
        var green: Double
        var blue: Double

        static func + (a: Colour, b: Colour) -> Colour {
            Colour(red: a.red + b.red, green: a.green + b.green, blue: a.blue + b.blue)
        }

        static func * (a: Colour, factor: Double) -> Colour {
            Colour(red: a.red * factor, green: a.green * factor, blue: a.blue * factor)
        }

        func mixed(with other: Colour, _ share: Double) -> Colour { self * (1 - share) + other * share }
    }

    private let size: DemoPhoto.Size
    private let centre: (x: Double, y: Double)
    private let radius: Double
    private let light: (x: Double, y: Double, z: Double)
    private let surface: [Colour]
    private let bands: Double
    private let waver: Double
    private let glow: Colour
    private let glowPlace: (x: Double, y: Double)
    private let ring: (inner: Double, outer: Double, tilt: Double)?
    private let starSeed: UInt64

    /// A painter of one photo at one size; both sizes show the same scene.
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
        glowPlace = (1.5 * random.unit(), random.unit())
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
                for value in [colour.red, colour.green, colour.blue] {
                    // A square root stands for the display's gamma.
                    bytes.append(UInt8(min(max(value, 0), 1).squareRoot() * 255 + 0.5))
                }
            }
        }
        return bytes
    }

    /// The light of a point; the picture is 1 high and 1.5 wide.
    private func colour(x: Double, y: Double) -> Colour {
        let dx = (x - centre.x) / radius
        let dy = (y - centre.y) / radius
        let distance = dx * dx + dy * dy
        var colour = sky(x: x, y: y)
        if distance < 1 {
            // One pixel of the limb is mixed with the sky, against stairs.
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
        let haze = Colour(red: 0.25, green: 0.4, blue: 0.6) * ((1 - depth) * (1 - depth) * 0.6)
        return (ground + haze) * (sunlight * 1.1 + 0.012)
    }

    private func shade(_ band: Int) -> Colour { surface[((band % 4) + 4) % 4] }

    private func sky(x: Double, y: Double) -> Colour {
        let gx = x - glowPlace.x
        let gy = y - glowPlace.y
        let base = Colour(red: 0.004, green: 0.005, blue: 0.01) + glow * (1 / (1 + 14 * (gx * gx + gy * gy)))
        // Stars stand on a grid that is the same for every size of the picture.
        let cellX = Int((x * 32).rounded(.down))
        let cellY = Int((y * 32).rounded(.down))
        var random = SplitMix64(state: starSeed ^ UInt64(truncatingIfNeeded: cellX &* 131 &+ cellY))
        guard random.below(14) == 0 else { return base }
        let sx = x * 32 - Double(cellX) - 0.25 - 0.5 * random.unit()
        let sy = y * 32 - Double(cellY) - 0.25 - 0.5 * random.unit()
        let brightness = 0.15 + 0.85 * random.unit()
        let falloff = max(0, 1 - (sx * sx + sy * sy) * 9)
        return base + Colour(red: 1, green: 0.95, blue: 0.9) * (brightness * falloff * falloff)
    }

    /// A wave of period 1 between 0 and 1, without the sine that no standard defines to the last bit.
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
        return Colour(red: channel(0), green: channel(2.0 / 3), blue: channel(1.0 / 3))
    }
}
