/** A character as it was recognised, and where: pixels from the left, and from the bottom. */
export interface Glyph {
  character: string
  left: number
  right: number
  bottom: number
  top: number
}

/** A line of tesseract's box file: `P 46 120 67 151 0`. */
export function glyphOf(line: string): Glyph | null {
  const [character = '', ...numbers] = line.split(' ')
  const [left, bottom, right, top] = numbers.map(Number)
  if (left === undefined || bottom === undefined || right === undefined || top === undefined) return null
  return character.length === 1 ? { character, left, right, bottom, top } : null
}

/** Characters of a line at least: what is shorter is not of the zone. */
const shortest = 20

/** Puts glyphs together to lines of the zone, in their order. */
export function transcribe(glyphs: readonly Glyph[]): string[] {
  const lines: Glyph[][] = []
  for (const glyph of glyphs) {
    const line = lines.at(-1)
    const last = line?.at(-1)
    if (line && last && glyph.left > last.left - (last.right - last.left)) line.push(glyph)
    else lines.push([glyph])
  }
  return lines.map(onGrid).filter((line) => line.length >= shortest)
}

const middle = ({ left, right }: Glyph): number => (left + right) / 2

/**
 * A line as its characters stand in their places, which are all of one width: where recognition has dropped one there is a
 * filler, which it drops most, and of two in one place the filler is right.
 */
function onGrid(line: readonly Glyph[]): string {
  const steps = line.slice(1).map((glyph, i) => middle(glyph) - middle(line[i] ?? glyph))
  const pitch = steps.filter((step) => step > 0).sort((a, b) => a - b)[Math.floor(steps.length / 2)]
  if (pitch === undefined) return ''
  let text = ''
  let before = -pitch
  for (const [i, glyph] of line.entries()) {
    const places = i === 0 ? 1 : Math.min(50, Math.round((middle(glyph) - before) / pitch))
    if (places <= 0) {
      if (glyph.character === '<') text = `${text.slice(0, -1)}<`
      continue
    }
    text += '<'.repeat(places - 1) + glyph.character
    before = middle(glyph)
  }
  return text
}
