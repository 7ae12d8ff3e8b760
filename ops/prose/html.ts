import ts from 'typescript'
import { hole, type Range } from './text.ts'

/** A piece of a page: text between block tags, or an attribute that people read. */
export interface Segment extends Range {
  /** Source text with `hole` for each expression. Inline tags are included. */
  text: string
  holes: Range[]
  isAttribute: boolean
}

const block = /<(?!\/?(?:a|b|i|em|strong|code|span|kbd|small|time|abbr|output|data)\b)[^<>]*>/g
const attribute = /\b(?:aria-label|title|placeholder|alt|data-label|data-confirm|data-question)="([^"]{1,500})"/g

/** Returns the segments of an `html` template that people read. */
export function segmentsOf(template: ts.TemplateLiteral): Segment[] {
  const { text, at, holes } = flatten(template)
  const found: [number, number, boolean][] = []
  let from = 0
  for (const match of text.matchAll(block)) {
    found.push([from, match.index, false])
    from = match.index + match[0].length
  }
  found.push([from, text.length, false])
  for (const match of text.matchAll(attribute)) {
    const value = match[1] ?? ''
    const start = match.index + match[0].length - 1 - value.length
    found.push([start, start + value.length, true])
  }
  return found.flatMap(([first, last, isAttribute]) => {
    const piece = text.slice(first, last)
    const start = first + piece.length - piece.trimStart().length
    const end = first + piece.trimEnd().length
    if (end <= start) return []
    const inside = holes.filter((_, index) => {
      const position = indexOfHole(text, index)
      return position >= start && position < end
    })
    return [{ text: text.slice(start, end), start: at(start), end: at(end), holes: inside, isAttribute }]
  })
}

/** Removes inline tags. */
export const withoutTags = (text: string): string => text.replace(/<[^<>]*>/g, '')

function indexOfHole(text: string, index: number): number {
  let at = -1
  for (let left = index; left >= 0; left--) at = text.indexOf(hole, at + 1)
  return at
}

/**
 * Returns the template as one text with `hole` for each expression, and a function that maps its positions to positions
 * in the file.
 */
function flatten(template: ts.TemplateLiteral): { text: string; at(position: number): number; holes: Range[] } {
  const source = template.getSourceFile().text
  const parts: Range[] = []
  const holes: Range[] = []
  if (ts.isNoSubstitutionTemplateLiteral(template)) {
    parts.push({ start: template.getStart() + 1, end: template.end - 1 })
  } else {
    parts.push({ start: template.head.getStart() + 1, end: template.head.end - 2 })
    for (const { expression, literal } of template.templateSpans) {
      holes.push({ start: expression.getStart(), end: expression.end })
      parts.push({ start: literal.getStart() + 1, end: literal.end - (ts.isTemplateTail(literal) ? 1 : 2) })
    }
  }
  const text = parts.map(({ start, end }) => source.slice(start, end)).join(hole)
  const at = (position: number) => {
    let left = position
    for (const { start, end } of parts) {
      if (left <= end - start) return start + left
      left -= end - start + 1
    }
    return template.end - 1
  }
  return { text, at, holes }
}
