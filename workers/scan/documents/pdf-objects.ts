import { Refusal } from '../refusal.ts'

/**
 * The text of an object stream without its strings (ISO 32000-1, 7.5.7 and 7.3.4); refuses one in which an object begins
 * inside a string or a comment, for then a reader sees what is none.
 */
export function withoutStrings(text: string, first: number): string {
  const starts = startsOf(text, first)
  const kept: string[] = []
  let from = first
  let next = 0
  for (let at = first; at < text.length; ) {
    const end = hiddenEnd(text, at)
    if (end === null) {
      at += 1
      continue
    }
    while ((starts[next] ?? Number.POSITIVE_INFINITY) <= at) next += 1
    if ((starts[next] ?? Number.POSITIVE_INFINITY) < end) throw hidden()
    kept.push(text.slice(from, at))
    from = end
    at = end
  }
  return [...kept, text.slice(from)].join(' ')
}

const hidden = () => new Refusal('suspicious', 'malformed_document', 'An object of it begins inside another.')

/** Where the objects begin, in order, by the pairs of numbers before the first of them. */
function startsOf(text: string, first: number): number[] {
  const header = text.slice(0, first)
  if (!/^[\s\0\d]*$/.test(header)) throw hidden()
  const numbers = header.match(/\d+/g) ?? []
  const offsets = numbers.filter((_, index) => index % 2 === 1).map((digits) => first + Number(digits))
  return offsets.sort((a, b) => a - b)
}

/** Where a string or a comment ends that begins at a place; null when none does. */
function hiddenEnd(text: string, at: number): number | null {
  if (text[at] === '(') return stringEnd(text, at)
  if (text[at] === '%') return endOr(text.slice(at).search(/[\r\n]/), at, text)
  if (text[at] === '<' && text[at + 1] === '<') return null
  if (text[at] === '<' && text[at - 1] !== '<') return endOr(text.indexOf('>', at) - at, at, text)
  return null
}

const endOr = (length: number, at: number, text: string) => (length < 0 ? text.length : at + length + 1)

function stringEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at += 1
    else if (character === '(') depth += 1
    else if (character === ')') depth -= 1
    if (depth === 0) return at + 1
  }
  throw hidden()
}
