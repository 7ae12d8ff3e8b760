/** WCAG 2.2 contrast of text (1.4.3). */
const enough = 4.5

type Rgb = readonly [number, number, number]

const parse = (color: string): Rgb => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return [r, g, b]
}

const write = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

/** Relative luminance (WCAG 2.2). */
function luminance(color: Rgb): number {
  const [r = 0, g = 0, b = 0] = color.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

const [black, white]: [Rgb, Rgb] = [
  [0, 0, 0],
  [255, 255, 255],
]

/** Backgrounds of text that have the lowest contrast, in light and in dark: those of the tokens, and tinted ones. */
const backgrounds: { light: Rgb; dark: Rgb } = { light: parse('#f2f4f3'), dark: parse('#1c272f') }

const steps = Array.from({ length: 21 }, (_, i) => i / 20)

/** Mixes a colour with black or white, as little as its contrast to the background needs. */
function readableOn(color: Rgb, background: Rgb, towards: Rgb): Rgb {
  const mix = (share: number, i: 0 | 1 | 2) => color[i] * (1 - share) + towards[i] * share
  const mixed = (share: number): Rgb => [mix(share, 0), mix(share, 1), mix(share, 2)]
  return steps.map(mixed).find((one) => contrast(one, background) >= enough) ?? towards
}

export interface BrandColors {
  color: string
  /** Colour of text on `color`. */
  on: string
}

/** Returns the colours for buttons and links of a light and of a dark page. Each has enough contrast. */
export function readableColors(brand: string): { light: BrandColors; dark: BrandColors } {
  const given = parse(brand)
  const of = (color: Rgb): BrandColors => ({
    color: write(color),
    on: contrast(white, color) >= contrast(black, color) ? '#ffffff' : '#000000',
  })
  return {
    light: of(readableOn(given, backgrounds.light, black)),
    dark: of(readableOn(given, backgrounds.dark, white)),
  }
}
