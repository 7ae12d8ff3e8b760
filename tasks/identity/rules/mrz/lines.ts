import { type FieldClass, type Layout, listFieldClasses, type Span } from './layout.ts'

/** Characters that look alike, for fields of one class. A document number can contain both classes. */
const confused: Readonly<Record<FieldClass, readonly [string, string]>> = {
  digits: ['OQDUILZSGB', '0000112568'],
  letters: ['012568', 'OIZSGB'],
  any: ['', ''],
}

const filler = '<'

function corrected(one: string, kind: FieldClass): string {
  const [from, to] = confused[kind]
  return to[from.indexOf(one)] ?? one
}

/** Adjusts the length of a line at the position with most fillers, because recognition omits and doubles fillers. */
function fitted(line: string, length: number): string {
  if (line.length === length) return line
  const runs: { at: number; length: number }[] = []
  for (let at = 0; at < line.length; at++) {
    const last = runs.at(-1)
    if (line[at] !== filler) continue
    if (last && last.at + last.length === at) last.length++
    else runs.push({ at, length: 1 })
  }
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), { at: line.length, length: 0 })
  const wanted = Math.max(0, longest.length + length - line.length)
  const made = line.slice(0, longest.at) + filler.repeat(wanted) + line.slice(longest.at + longest.length)
  return made.slice(0, length).padEnd(length, filler)
}

/** Maximum difference in length from the format, in characters. */
const slack = 6

/** Returns the lines in a format, corrected by the classes of its fields. `null` if they do not match the format. */
export function fitLines(layout: Layout, read: readonly string[]): string[] | null {
  if (read.length !== layout.lines) return null
  const [named] = layout.names
  // Names end with fillers, any number of which can be lost.
  const fits = (line: string, at: number) =>
    line.length <= layout.length + slack && (at === named || line.length >= layout.length - slack)
  if (!read.every(fits)) return null
  const ended = (line: string) => line.slice(0, layout.length).padEnd(layout.length, filler)
  const lines = read.map((line, at) => [...(at === named ? ended(line) : fitted(line, layout.length))])
  for (const [[line, from, to], kind] of listFieldClasses(layout)) {
    for (let at = from; at < to; at++) {
      const row = lines[line]
      if (row) row[at] = corrected(row[at] ?? filler, kind)
    }
  }
  return lines.map((line) => line.join(''))
}

export const textAt = (lines: readonly string[], [line, from, to]: Span): string => (lines[line] ?? '').slice(from, to)
