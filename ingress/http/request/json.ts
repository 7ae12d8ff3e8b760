import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { outsideText } from '#lib/outside-text.ts'

/** Levels of nesting a body may have; every schema of ours stays far below. */
const maxDepth = 32

/** Names that one object may have. */
const maxNames = 1_000

/** How much a body may hold. */
export interface JsonBounds {
  /** Values of the whole body, lists and objects counted twice: the largest import has two fifths of them. */
  values: number
  /** Elements of one list. */
  elements: number
  /** Replaces what no Postgres text can hold by U+FFFD, where it is a fault otherwise. */
  repair?: boolean
  /** The list of the body whose items the route checks one by one, by `checkText` too. */
  itemsApart?: string | undefined
}

/** How much a body may hold unless its reader says other. */
export const usualBounds: JsonBounds = { values: 100_000, elements: 50_000 }

const malformed = (why: string) => new Problem(400, 'bad_request', `The body is not valid JSON: ${why}.`)

const fault = (field: string, issue: string) => badRequest([{ field, issue }])

/**
 * Parses a request's JSON more strictly than `JSON.parse`, which keeps the last of two equal names (RFC 8259 §4 leaves
 * that open, so two readers of one body could disagree) and makes `__proto__` an ordinary one. Throws 400 also for what no
 * Postgres text can hold: NUL and lone surrogates.
 */
export function parseJson(text: string, bounds: JsonBounds = usualBounds): unknown {
  checkStructure(text, bounds)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw malformed(error instanceof Error ? error.message : 'unreadable')
  }
  if (bounds.repair) return repaired(value)
  if (text.includes('\\u')) {
    const faults: Fault[] = []
    checkText(withoutItems(value, bounds.itemsApart), 'body', faults)
    if (faults.length > 0) throw badRequest(faults)
  }
  return value
}

/**
 * Walks JSON once, before anything is built of it: strings are jumped over, the names of each open object are kept. Of a text
 * that is no JSON it finds nothing, or what would have been wrong with it, too.
 */
function checkStructure(text: string, { values, elements }: JsonBounds): void {
  const open: (Set<string> | null)[] = []
  // Of each level no more than one object is open: its set is used again.
  const sets: Set<string>[] = []
  const counts: number[] = []
  // What follows a comma, and what is opened.
  let found = 0
  const count = () => {
    if (++found > values) throw fault('body', `must have at most ${values} values`)
  }
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: {
        const end = endOfString(text, i)
        const names = open.at(-1)
        if (names && isName(text, end)) checkName(text.slice(i, end + 1), names)
        i = end
        break
      }
      case 0x2c:
        count()
        if (open.at(-1) === null) checkElements(counts, elements)
        break
      case 0x7b:
      case 0x5b:
        count()
        open.push(opened(text.charCodeAt(i) === 0x7b, open.length, sets))
        counts.push(1)
        break
      case 0x7d:
      case 0x5d:
        open.pop()
        counts.pop()
    }
  }
}

/** Counts one more element of the list that was opened last. */
function checkElements(counts: number[], most: number): void {
  const last = counts.length - 1
  const count = (counts[last] ?? 1) + 1
  if (count > most) throw fault('body', `must have at most ${most} elements in one list`)
  counts[last] = count
}

/** What is kept of one more object or list, when `depth` of them are open already. */
function opened(isObject: boolean, depth: number, sets: Set<string>[]): Set<string> | null {
  if (depth === maxDepth) throw fault('body', `is nested deeper than ${maxDepth} levels`)
  if (!isObject) return null
  const names = sets[depth] ?? new Set()
  names.clear()
  sets[depth] = names
  return names
}

/** The index of the quote that ends the string starting at `start`; the text's end when nothing does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

/** Whether the string that ends at `end` is an object's name: a colon follows. */
function isName(text: string, end: number): boolean {
  for (let i = end + 1; ; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x3a) return true
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false
  }
}

function checkName(quoted: string, names: Set<string>): void {
  const name = quoted.includes('\\') ? unescaped(quoted) : quoted.slice(1, -1)
  if (name === '__proto__') throw fault('body', 'the name `__proto__` is not allowed')
  if (names.has(name)) throw fault('body', `the name \`${name.slice(0, 100)}\` stands twice in one object`)
  names.add(name)
  if (names.size > maxNames) throw fault('body', `has an object with more than ${maxNames} names`)
}

function unescaped(quoted: string): string {
  try {
    return JSON.parse(quoted)
  } catch {
    throw malformed('a name is no text')
  }
}

function withoutItems(value: unknown, list: string | undefined): unknown {
  return list === undefined || typeof value !== 'object' || value === null ? value : { ...value, [list]: [] }
}

/** Names every string that no Postgres text can hold. */
export function checkText(value: unknown, path: string, faults: Fault[]): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      faults.push({ field: path, issue: 'holds a character that is no text' })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      checkText(key, path, faults)
      checkText(inner, `${path}.${key}`, faults)
    }
  }
}

/** Returns a value in which each character that no Postgres text can hold is U+FFFD. */
function repaired(value: unknown): unknown {
  if (typeof value === 'string') return outsideText(value)
  if (Array.isArray(value)) return value.map(repaired)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [outsideText(name), repaired(inner)]))
}
