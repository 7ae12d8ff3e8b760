import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { toStorableText } from '#lib/outside-text.ts'

/** Maximum nesting depth of a body. All schemas need much less. */
const maxDepth = 32

const maxNames = 1_000

export interface JsonBounds {
  /**
   * Maximum number of values in a complete body. Lists and objects count twice. The largest import uses two fifths of
   * the limit.
   */
  values: number
  elements: number
  repair?: boolean
  itemsApart?: string | undefined
}

export const usualBounds: JsonBounds = { values: 100_000, elements: 50_000 }

const malformed = (why: string) => new Problem(400, 'bad_request', `The body is not valid JSON: ${why}.`)

const fault = (field: string, issue: string) => badRequest([{ field, issue }])

/**
 * Parses a request’s JSON more strictly than `JSON.parse`. Throws 400 for `__proto__` and for repeated names. RFC 8259
 * §4 allows repeated names, but two parsers can then read different values. Also throws 400 for text that Postgres
 * cannot store: NUL and lone surrogates.
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

function checkStructure(text: string, { values, elements }: JsonBounds): void {
  const open: (Set<string> | null)[] = []
  const sets: Set<string>[] = []
  const counts: number[] = []
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

function checkElements(counts: number[], most: number): void {
  const last = counts.length - 1
  const count = (counts[last] ?? 1) + 1
  if (count > most) throw fault('body', `must have at most ${most} elements in one list`)
  counts[last] = count
}

function opened(isObject: boolean, depth: number, sets: Set<string>[]): Set<string> | null {
  if (depth === maxDepth) throw fault('body', `must have at most ${maxDepth} levels of nesting`)
  if (!isObject) return null
  const names = sets[depth] ?? new Set()
  names.clear()
  sets[depth] = names
  return names
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

function isName(text: string, end: number): boolean {
  for (let i = end + 1; ; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x3a) return true
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false
  }
}

function checkName(quoted: string, names: Set<string>): void {
  const name = quoted.includes('\\') ? unescaped(quoted) : quoted.slice(1, -1)
  if (name === '__proto__') throw fault('body', 'must not contain the name `__proto__`')
  if (names.has(name)) throw fault('body', `must not contain the name \`${name.slice(0, 100)}\` twice in one object`)
  names.add(name)
  if (names.size > maxNames) throw fault('body', `must have at most ${maxNames} names in one object`)
}

function unescaped(quoted: string): string {
  try {
    return JSON.parse(quoted)
  } catch {
    throw malformed('a name is not a string')
  }
}

function withoutItems(value: unknown, list: string | undefined): unknown {
  return list === undefined || typeof value !== 'object' || value === null ? value : { ...value, [list]: [] }
}

export function checkText(value: unknown, path: string, faults: Fault[]): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      faults.push({ field: path, issue: 'must not contain invalid characters (NUL or lone surrogates)' })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      checkText(key, path, faults)
      checkText(inner, `${path}.${key}`, faults)
    }
  }
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value)
  if (Array.isArray(value)) return value.map(repaired)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [toStorableText(name), repaired(inner)]))
}
