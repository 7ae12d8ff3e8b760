import {
  attributionAt,
  endsWithColon,
  isAttribution,
  isMarked,
  isUnmarkedAttribution,
  lower,
  textOf,
} from './attribution.ts'
import { dividerPhrases, footerWords, type QuotedField, quotedFields } from './quote-words.ts'

/** Characters and lines that are looked at: what people write is shorter. */
const most = { text: 100_000, fields: 16, others: 4 }

/** What is left of a text, and whether anything of it was a quote. */
export interface Stripped {
  reply: string | null
  hasQuote: boolean
}

/**
 * Returns the text of a reply without quoted mail and without a signature below `-- ` (RFC 3676 §4.3). Returns the whole text if
 * nothing else is left, and `null` for a blank text. In a mail that does not answer another one, lines with `>` stay unless a line
 * above them names their author. Looks at each line a few times at most.
 */
export function stripReply(text: string, isAnswer = true): Stripped {
  const lines = text.slice(0, most.text).replaceAll('\r', '').split('\n')
  const texts = lines.map(textOf)
  const read = { texts, fields: texts.map(fieldOf) }
  const end = texts.findIndex((_, i) => beginsHistory(read, i))
  const unquoted = withoutQuotes(lines, texts.slice(0, end < 0 ? undefined : startOf(texts, end)), isAnswer)
  const written = withoutFooter(withoutSignature(unquoted)).join('\n').trim()
  const whole = lines.join('\n').trim()
  const hasQuote = written !== '' && unquoted.length < lines.length
  return { reply: written || whole || null, hasQuote }
}

/** The lines of a mail as they are compared, and the field of a quoted mail that each is, if any. */
interface ReadLines {
  texts: readonly string[]
  fields: readonly (QuotedField | undefined)[]
}

/** Whether the quoted mail that follows this line, or begins with it, goes on to the end: its lines are not marked. */
function beginsHistory(lines: ReadLines, i: number): boolean {
  const { texts } = lines
  const line = texts[i] ?? ''
  if (line === '') return false
  if (isDivider(lines, i) || isFieldBlock(lines, i)) return true
  if (!endsWithColon(line)) return false
  const next = texts[nextText(texts, i)]
  if (next === undefined || isMarked(next)) return false
  return attributionAt(texts, i, isUnmarkedAttribution) !== undefined
}

/** Where the line begins that says whose the mail is that ends at `end`. */
const startOf = (texts: readonly string[], end: number): number =>
  attributionAt(texts, end, isUnmarkedAttribution) ?? end

/** The next line with text, of the six below; -1 if there is none. */
function nextText(texts: readonly string[], i: number): number {
  for (let at = i + 1; at < texts.length && at <= i + 6; at++) if (texts[at] !== '') return at
  return -1
}

/** `-----Original Message-----`, a phrase of that kind alone on its line, or a rule above the fields of a mail. */
function isDivider(lines: ReadLines, i: number): boolean {
  const line = lines.texts[i] ?? ''
  if (line.length > 100) return false
  const said = lower(line.replace(/^[-_=*\s]+/, ''))
  const phrase = dividerPhrases.find((one) => said.startsWith(one))
  const hasRule = /^[-_=*]{2}/.test(line)
  if (phrase !== undefined) return hasRule || (endsWithColon(line) && said.length < phrase.length + 20)
  if (!/^[-_=*]{3}/.test(line)) return false
  return (
    lines.fields[nextText(lines.texts, i)] !== undefined && fieldsFrom(lines, i + 1).length >= (said === '' ? 3 : 2)
  )
}

/** Whether the fields of a mail begin at a line: its author, its subject, and its date or who it was for. */
function isFieldBlock(lines: ReadLines, i: number): boolean {
  if (lines.fields[i] === undefined) return false
  const fields = new Set(fieldsFrom(lines, i))
  return fields.has('from') && fields.has('subject') && (fields.has('sent') || fields.has('to'))
}

/** The fields of a mail in the next lines; each may have a blank line or the rest of its value below. */
function fieldsFrom({ fields }: ReadLines, start: number): QuotedField[] {
  const found: QuotedField[] = []
  let others = 0
  for (let i = start; i < Math.min(fields.length, start + most.fields) && others < most.others; i++) {
    const field = fields[i]
    if (field !== undefined) found.push(field)
    others = field === undefined ? others + 1 : 0
  }
  return found
}

/** The field that a line is, with or without the asterisks of bold text. */
function fieldOf(line: string): QuotedField | undefined {
  const text = line.slice(0, 60).replaceAll('*', '')
  const end = text.search(/[:：]/)
  return end < 1 ? undefined : quotedFields.get(lower(text.slice(0, end).trim()))
}

/** The lines that are not marked as quoted, as far as `texts` go, without the one above each quote that says whose it is. */
function withoutQuotes(lines: readonly string[], texts: readonly string[], isAnswer: boolean): readonly string[] {
  const marked = markedLines(texts)
  const authors = marked.flatMap((isQuote, i) => (isQuote && !marked[i - 1] ? authorAbove(texts, i) : []))
  const first = authors[0] ? authors[0].start : isAnswer ? 0 : texts.length
  const dropped = new Set(
    authors.flatMap(({ start, end }) => Array.from({ length: end - start + 1 }, (_, n) => start + n)),
  )
  return lines.slice(0, texts.length).filter((_, i) => i < first || !(marked[i] || dropped.has(i)))
}

/** `>5` counts only below a quote: it may be what a person writes. */
function markedLines(lines: readonly string[]): boolean[] {
  const marked: boolean[] = []
  for (const line of lines) marked.push(isMarked(line) || (Boolean(marked.at(-1)) && line.startsWith('>')))
  return marked
}

/** The lines above a quote that say whose it is; up to three blank lines may stand between. */
function authorAbove(texts: readonly string[], quote: number): { start: number; end: number }[] {
  const above = [1, 2, 3, 4].find((distance) => texts[quote - distance]) ?? 1
  const end = quote - above
  const start = attributionAt(texts, end, isAttribution)
  return start === undefined ? [] : [{ start, end }]
}

/** Without a signature. `--` without its blank counts only above a few short lines: it may be a rule between two texts. */
function withoutSignature(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => textOf(line) !== '')
  const at = lines.findIndex(
    (line, i) => i > 0 && (line === '-- ' || (line.trimEnd() === '--' && isSignature(lines, i, last))),
  )
  return at < 0 ? lines : lines.slice(0, at)
}

/** Whether a few short lines that are no sentences follow, and nothing else. */
const isSignature = (lines: readonly string[], at: number, last: number): boolean =>
  last - at <= 6 && lines.slice(at + 1, last + 1).every((line) => line.length <= 60 && !/[.!?]$/.test(textOf(line)))

/** Without what a phone or a program adds as the last line. */
function withoutFooter(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => textOf(line) !== '')
  const line = lower(textOf(lines[last]))
  const isFooter =
    line.length <= 80 &&
    footerWords.affixes.some((words) => line.startsWith(words) || line.endsWith(words)) &&
    footerWords.things.some((thing) => line.includes(thing))
  return isFooter ? lines.slice(0, last) : lines
}
