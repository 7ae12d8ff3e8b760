export interface Piece {
  /** Offset in the text, in UTF-16 units. */
  start: number
  /** Page number from 1. Null in a text without pages. */
  page: number | null
  /** Headings above the piece, outermost first. */
  headings: readonly string[]
  text: string
}

/** Maximum and minimum length of a piece in UTF-16 units. A piece is shorter only at the end of a page. */
const [longest, shortest] = [1_200, 400]

/** Minimum length of a section that becomes a separate piece, in UTF-16 units. Shorter sections are combined. */
const section = 200

/**
 * Maximum number of pieces per text, a limit of `knowledge.chunks`. A text of 400,000 characters has fewer pieces,
 * unless its pages contain few words.
 */
const mostPieces = 4_096

const longestHeading = 200

interface Heading {
  at: number
  level: number
  text: string
}

/**
 * Splits a text into pieces. Concatenated, the pieces are the text. A piece ends at the end of a page (a form feed, as
 * pdftotext writes it) or before a Markdown heading. Otherwise it ends after a paragraph, a sentence or a word.
 */
export function split(text: string): Piece[] {
  const pieces: Piece[] = []
  const headings = headingsOf(text)
  const path: Heading[] = []
  let [start, page, feed, heading] = [0, 1, text.indexOf('\f'), 0]
  const hasPages = feed >= 0
  while (start < text.length && pieces.length < mostPieces) {
    if (feed >= 0 && feed < start) [feed, page] = [text.indexOf('\f', start), page + 1]
    for (; (headings[heading]?.at ?? text.length) <= start; heading++) pushHeading(path, headings[heading])
    const below = nextBelow(headings, heading, start + section)
    const end = findPieceEnd(text, start, feed < 0 ? text.length : feed + 1, below)
    const under = path.map((one) => one.text)
    pieces.push({ start, page: hasPages ? page : null, headings: under, text: text.slice(start, end) })
    start = end
  }
  return pieces
}

/** Returns the beginning of the text that the pieces cover. */
export function getCoveredText(text: string): string {
  const last = split(text).at(-1)
  return last ? text.slice(0, last.start + last.text.length) : ''
}

/** Adds a heading to the path and removes headings of the same or a lower level. */
function pushHeading(path: Heading[], heading: Heading | undefined): void {
  if (!heading) return
  while ((path.at(-1)?.level ?? 0) >= heading.level) path.pop()
  path.push(heading)
}

/** Returns the offset of the next heading, or a number greater than any offset if there is none. */
function nextBelow(headings: readonly Heading[], from: number, least: number): number {
  for (let i = from; i < headings.length; i++) {
    const { at } = headings[i] as Heading
    if (at >= least) return at
  }
  return Number.POSITIVE_INFINITY
}

function findPieceEnd(text: string, start: number, pageEnd: number, heading: number): number {
  const limit = Math.min(pageEnd, heading, text.length)
  if (limit - start <= longest) return limit
  const window = text.slice(start, start + longest)
  return start + (paragraphEnd(window) ?? sentenceEnd(window) ?? wordEnd(window) ?? whole(window))
}

const isBlank = (unit: string | undefined) => unit === ' ' || unit === '\n' || unit === '\t' || unit === '\r'

function paragraphEnd(window: string): number | undefined {
  const at = window.lastIndexOf('\n\n')
  return at >= shortest ? at + 2 : undefined
}

const stops = new Set('.!?…。！？')
const closing = new Set('"\'”»)]')

function sentenceEnd(window: string): number | undefined {
  for (let i = window.length - 1; i >= shortest; i--) {
    if (!isBlank(window[i])) continue
    const last = closing.has(window[i - 1] ?? '') ? window[i - 2] : window[i - 1]
    if (stops.has(last ?? '')) return i + 1
  }
  return undefined
}

function wordEnd(window: string): number | undefined {
  for (let i = window.length - 1; i >= shortest; i--) if (isBlank(window[i])) return i + 1
  return undefined
}

/** Returns the length without the first half of a surrogate pair at the end. */
const whole = (window: string) => window.length - (/[\ud800-\udbff]$/.test(window) ? 1 : 0)

/** Returns the headings of a Markdown text, outside of code fences. */
function headingsOf(text: string): Heading[] {
  const found: Heading[] = []
  let fenced = false
  for (let at = 0; at < text.length; ) {
    if (text[at] === '\f') {
      at++
      continue
    }
    const next = text.indexOf('\n', at)
    const end = next < 0 ? text.length : next
    if (text.startsWith('```', at)) fenced = !fenced
    const heading = fenced ? undefined : headingAt(text, at, end)
    if (heading) found.push(heading)
    at = end + 1
  }
  return found
}

function headingAt(text: string, at: number, end: number): Heading | undefined {
  let level = 0
  while (level < 7 && text[at + level] === '#') level++
  if (level === 0 || level === 7 || !isBlank(text[at + level])) return undefined
  const title = text.slice(at + level, Math.min(end, at + level + longestHeading)).trim()
  return title === '' ? undefined : { at, level, text: title }
}
