const coloured = Boolean(process.stdout.isTTY) && process.stdout.hasColors()

const paint = (code: number) => (text: string) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text)

/** Colours. The text always contains the same information without them. */
export const red = paint(31)
export const yellow = paint(33)
export const green = paint(32)
export const dim = paint(2)
export const bold = paint(1)

export interface Column<Row> {
  heading: string
  text(row: Row): string
  right?: boolean
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one.
const escapes = /\u001b\[\d+m/g
const width = (text: string) => text.replaceAll(escapes, '').length
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour of ours begins with one.
const colours = /\u001b\[(?:0|1|2|3[123])m/g
const steering = /\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const lineBreaks = /[\n\t]+/g

const withoutSteering = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(steering, (found) => (/[\n\t]/.test(found) ? found : '\ufffd'))

/**
 * Returns a text that is safe for a terminal. Replaces control characters and characters that change the direction of
 * text with `\ufffd`. Keeps line ends, tabs and the colours of this module.
 */
export function printable(text: string): string {
  const kept = coloured ? (text.match(colours) ?? []) : []
  return text
    .split(colours)
    .map((part, i) => withoutSteering(part) + (kept[i] ?? ''))
    .join('')
}

/** Writes rows as a table, or `none` if there are no rows. */
export function table<Row>(rows: readonly Row[], columns: Column<Row>[], none: string): void {
  if (rows.length === 0) {
    line(none)
    return
  }
  const cells = rows.map((row) => columns.map(({ text }) => printable(text(row)).replaceAll(lineBreaks, ' ')))
  const widths = columns.map(({ heading }, i) => Math.max(heading.length, ...cells.map((row) => width(row[i] ?? ''))))
  const write = (row: string[]) =>
    line(
      row
        .map((cell, i) => {
          const space = ' '.repeat((widths[i] ?? 0) - width(cell))
          return columns[i]?.right ? space + cell : cell + space
        })
        .join('  ')
        .trimEnd(),
    )
  write(columns.map(({ heading }) => heading).map((heading) => (coloured ? dim(heading) : heading)))
  for (const row of cells) write(row)
}

/** Writes names and values, one per line. Omits names without a value. */
export function list(pairs: [name: string, value: string | number | null | undefined][]): void {
  const said = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const longest = Math.max(...said.map(([name]) => name.length))
  for (const [name, value] of said) line(`${dim(name.padEnd(longest))}  ${value}`)
}

export function line(text: string): void {
  process.stdout.write(`${printable(text)}\n`)
}

export function json(value: unknown): void {
  const text = JSON.stringify(value, null, 2).replaceAll(steering, (found) => (found === '\n' ? found : escaped(found)))
  process.stdout.write(`${text}\n`)
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

export const number = (value: number): string => value.toLocaleString('en-US')

/** Returns a formatted rate, or a dash for 0. */
export const rate = (value: number): string =>
  value === 0 ? '-' : value < 10 ? value.toFixed(1) : number(Math.round(value))

/** Returns formatted seconds: 8 s, 4 min, 3.5 h, 2 d. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${seconds < 10 ? Math.max(0, seconds).toFixed(1) : Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${(seconds / 3_600).toFixed(1)} h`
  return `${Math.round(seconds / 86_400)} d`
}

export function when(at: Date, now = Date.now()): string {
  const seconds = (now - at.getTime()) / 1000
  return seconds >= 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`
}

export function short(text: string, length: number): string {
  const first = text.replaceAll(/\s+/g, ' ')
  return first.length > length ? `${first.slice(0, length - 1)}…` : first
}

export function state(name: string): string {
  if (name === 'failed') return red(name)
  if (name === 'paused' || name === 'rejected' || name === 'cancelled') return yellow(name)
  return name === 'running' || name === 'done' ? green(name) : name
}
