/** A recognised character and its box in pixels, from the left and from the bottom. */
export interface Glyph {
  character: string
  left: number
  right: number
  bottom: number
  top: number
}

/** Parses a line of tesseract's box file: `P 46 120 67 151 0`. */
export function readGlyph(line: string): Glyph | null {
  const [character = '', ...numbers] = line.split(' ')
  const [left, bottom, right, top] = numbers.map(Number)
  if (left === undefined || bottom === undefined || right === undefined || top === undefined) return null
  return character.length === 1 ? { character, left, right, bottom, top } : null
}

const shortest = 20

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
 * Places a line on a grid of equal character widths. An empty place becomes a filler, because recognition drops fillers
 * most often. If two characters share a place, the filler wins.
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
