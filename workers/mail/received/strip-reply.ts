import {
  attributionAt,
  endsWithColon,
  isAttribution,
  isMarked,
  isUnmarkedAttribution,
  normaliseLine,
  toLowerComposed,
} from './attribution.ts'
import { dividerPhrases, footerWords, type QuotedField, quotedFields } from './quote-words.ts'

/** Limits of what is checked. Texts that people write are shorter. */
const most = { text: 100_000, fields: 16, others: 4 }

export interface Stripped {
  reply: string | null
  hasQuote: boolean
}

/**
 * Removes quoted email and a signature below `-- ` (RFC 3676 §4.3). Returns the whole text if nothing else is left, and
 * `null` for a blank text. If the email is not a reply, lines with `>` stay, unless an attribution is above them. The
 * time is linear in the number of lines.
 */
export function stripReply(text: string, isAnswer = true): Stripped {
  const lines = text.slice(0, most.text).replaceAll('\r', '').split('\n')
  const texts = lines.map(normaliseLine)
  const read = { texts, fields: texts.map(fieldOf) }
  const end = texts.findIndex((_, i) => beginsHistory(read, i))
  const unquoted = withoutQuotes(lines, texts.slice(0, end < 0 ? undefined : startOf(texts, end)), isAnswer)
  const written = withoutFooter(withoutSignature(unquoted)).join('\n').trim()
  const whole = lines.join('\n').trim()
  const hasQuote = written !== '' && unquoted.length < lines.length
  return { reply: written || whole || null, hasQuote }
}

interface ReadLines {
  texts: readonly string[]
  fields: readonly (QuotedField | undefined)[]
}

/** True if quoted email without quote marks starts at or after this line and continues to the end. */
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

const startOf = (texts: readonly string[], end: number): number =>
  attributionAt(texts, end, isUnmarkedAttribution) ?? end

/** Returns the index of the next line with text within six lines, or -1. */
function nextText(texts: readonly string[], i: number): number {
  for (let at = i + 1; at < texts.length && at <= i + 6; at++) if (texts[at] !== '') return at
  return -1
}

/** True for `-----Original Message-----`, a similar phrase on its own line, or a rule above header fields. */
function isDivider(lines: ReadLines, i: number): boolean {
  const line = lines.texts[i] ?? ''
  if (line.length > 100) return false
  const said = toLowerComposed(line.replace(/^[-_=*\s]+/, ''))
  const phrase = dividerPhrases.find((one) => said.startsWith(one))
  const hasRule = /^[-_=*]{2}/.test(line)
  if (phrase !== undefined) return hasRule || (endsWithColon(line) && said.length < phrase.length + 20)
  if (!/^[-_=*]{3}/.test(line)) return false
  return (
    lines.fields[nextText(lines.texts, i)] !== undefined && fieldsFrom(lines, i + 1).length >= (said === '' ? 3 : 2)
  )
}

/** True if header fields of an email start here: author, subject, and date or recipient. */
function isFieldBlock(lines: ReadLines, i: number): boolean {
  if (lines.fields[i] === undefined) return false
  const fields = new Set(fieldsFrom(lines, i))
  return fields.has('from') && fields.has('subject') && (fields.has('sent') || fields.has('to'))
}

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

function fieldOf(line: string): QuotedField | undefined {
  const text = line.slice(0, 60).replaceAll('*', '')
  const end = text.search(/[:：]/)
  return end < 1 ? undefined : quotedFields.get(toLowerComposed(text.slice(0, end).trim()))
}

function withoutQuotes(lines: readonly string[], texts: readonly string[], isAnswer: boolean): readonly string[] {
  const marked = markedLines(texts)
  const authors = marked.flatMap((isQuote, i) => (isQuote && !marked[i - 1] ? authorAbove(texts, i) : []))
  const first = authors[0] ? authors[0].start : isAnswer ? 0 : texts.length
  const dropped = new Set(
    authors.flatMap(({ start, end }) => Array.from({ length: end - start + 1 }, (_, n) => start + n)),
  )
  return lines.slice(0, texts.length).filter((_, i) => i < first || !(marked[i] || dropped.has(i)))
}

/** Returns which lines are quoted. `>5` counts only below a quote, because people also write it. */
function markedLines(lines: readonly string[]): boolean[] {
  const marked: boolean[] = []
  for (const line of lines) marked.push(isMarked(line) || (Boolean(marked.at(-1)) && line.startsWith('>')))
  return marked
}

/** Returns the attribution above a quote. Up to three blank lines can separate them. */
function authorAbove(texts: readonly string[], quote: number): { start: number; end: number }[] {
  const above = [1, 2, 3, 4].find((distance) => texts[quote - distance]) ?? 1
  const end = quote - above
  const start = attributionAt(texts, end, isAttribution)
  return start === undefined ? [] : [{ start, end }]
}

/**
 * Removes the signature. `--` without a trailing blank counts only above a few short lines, because it can also be a
 * rule between paragraphs.
 */
function withoutSignature(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => normaliseLine(line) !== '')
  const at = lines.findIndex(
    (line, i) => i > 0 && (line === '-- ' || (line.trimEnd() === '--' && isSignature(lines, i, last))),
  )
  return at < 0 ? lines : lines.slice(0, at)
}

/** True if only a few short lines follow and none of them is a sentence. */
const isSignature = (lines: readonly string[], at: number, last: number): boolean =>
  last - at <= 6 &&
  lines.slice(at + 1, last + 1).every((line) => line.length <= 60 && !/[.!?]$/.test(normaliseLine(line)))

/** Removes the last line if a phone or an email client added it. */
function withoutFooter(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => normaliseLine(line) !== '')
  const line = toLowerComposed(normaliseLine(lines[last]))
  const isFooter =
    line.length <= 80 &&
    footerWords.affixes.some((words) => line.startsWith(words) || line.endsWith(words)) &&
    footerWords.things.some((thing) => line.includes(thing))
  return isFooter ? lines.slice(0, last) : lines
}
