export type PdfValue = PdfDictionary | PdfValue[] | Buffer | Reference | string

export type PdfDictionary = Map<string, PdfValue[]>

export class Reference {
  readonly number: number

  constructor(number: number) {
    this.number = number
  }
}

/** White space and comments are skipped one by one. A combined pattern could be matched in many ways. */
const blanks = /[\s\0]+/y
const comment = /%[^\r\n]*/y

const token =
  /(?:(<<|>>|[[\]])|(\d{1,10})[\s\0]+\d{1,5}[\s\0]+R(?![A-Za-z0-9])|(\/[^\s\0()<>[\]{}/%]*)|(\()|<([0-9A-Fa-f\s\0]*)>|([^\s\0()<>[\]{}/%]+))/y

/** Maximum nesting depth and length of values. Longer values would block the process and use up its memory. */
const [deepest, longest] = [50, 256 * 1024]

/** Returns the value at a position and its end, or `undefined` if there is no value. */
export function valueAt(text: string, start: number): { value: PdfValue; end: number } | undefined {
  const reader = { text: text.slice(start, start + longest), at: 0 }
  const value = read(reader, 0)
  return value === undefined || value === ends ? undefined : { value, end: start + reader.at }
}

interface Reader {
  text: string
  at: number
}

const ends = Symbol('ends')

function read(reader: Reader, depth: number): PdfValue | typeof ends | undefined {
  pass(reader)
  token.lastIndex = reader.at
  const match = token.exec(reader.text)
  if (!match || depth > deepest) return undefined
  const begun = reader.at
  reader.at = token.lastIndex
  const [, mark, reference, name, literal, hex, word] = match
  if (mark === '<<') return dictionary(reader, depth)
  if (mark === '[') return list(reader, depth)
  if (mark !== undefined) return ends
  if (reference !== undefined) return new Reference(Number(reference))
  if (name !== undefined) return plain(name)
  if (literal !== undefined) return string(reader)
  if (hex !== undefined) return Buffer.from(hex.replace(/[\s\0]/g, ''), 'hex')
  return word !== undefined && reader.at > begun ? word : undefined
}

function pass(reader: Reader): void {
  for (let isPassed = true; isPassed; ) {
    isPassed = false
    for (const pattern of [blanks, comment]) {
      pattern.lastIndex = reader.at
      if (!pattern.test(reader.text)) continue
      reader.at = pattern.lastIndex
      isPassed = true
    }
  }
}

const plain = (name: string) =>
  name.replace(/#([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

function list(reader: Reader, depth: number): PdfValue[] | undefined {
  const items: PdfValue[] = []
  for (;;) {
    const item = read(reader, depth + 1)
    if (item === undefined) return undefined
    if (item === ends) return items
    items.push(item)
  }
}

function dictionary(reader: Reader, depth: number): PdfDictionary | undefined {
  const items = list(reader, depth)
  if (!items || items.length % 2 !== 0) return undefined
  const found: PdfDictionary = new Map()
  for (let i = 0; i < items.length; i += 2) {
    const key = items[i]
    if (typeof key !== 'string' || !key.startsWith('/')) return undefined
    const values = found.get(key) ?? []
    values.push(items[i + 1] as PdfValue)
    found.set(key, values)
  }
  return found
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '', '\r': '' }

function string(reader: Reader): Buffer | undefined {
  const { text } = reader
  let found = ''
  for (let open = 1; reader.at < text.length; reader.at++) {
    const character = text[reader.at] as string
    if (character === '\\') {
      const octal = /^[0-7]{1,3}/.exec(text.slice(reader.at + 1, reader.at + 4))?.[0]
      const next = text[reader.at + 1] ?? ''
      found += octal ? String.fromCharCode(Number.parseInt(octal, 8) & 255) : (escapes[next] ?? next)
      reader.at += octal?.length ?? 1
      continue
    }
    if (character === '(') open++
    if (character === ')' && --open === 0) {
      reader.at++
      return Buffer.from(found, 'latin1')
    }
    found += character
  }
  return undefined
}

export function* dictionariesIn(value: PdfValue): Generator<PdfDictionary> {
  if (value instanceof Map) {
    yield value
    for (const values of value.values()) for (const one of values) yield* dictionariesIn(one)
  } else if (Array.isArray(value)) for (const one of value) yield* dictionariesIn(one)
}

export interface NumberedObject {
  number: number
  start: number
}

/** Maximum number of objects in a document, and of occurrences of the word that starts an object. */
const [mostObjects, mostWords] = [200_000, 1_000_000]

/** Returns the top-level objects in order, or `undefined` if there are more than any program writes. */
export function objectsIn(text: string): NumberedObject[] | undefined {
  const found: NumberedObject[] = []
  let words = 0
  for (let at = text.indexOf('obj'); at !== -1; at = text.indexOf('obj', at + 3)) {
    const object = objectAt(text, at)
    if (object) found.push(object)
    if (++words > mostWords || found.length > mostObjects) return undefined
  }
  return found
}

export function objectBefore(objects: readonly NumberedObject[], place: number): NumberedObject | undefined {
  let [low, high] = [0, objects.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((objects[middle]?.start ?? 0) - 3 <= place) low = middle + 1
    else high = middle
  }
  return objects[low - 1]
}

function objectAt(text: string, at: number): NumberedObject | undefined {
  if (!/[\s\0\d]/.test(text[at - 1] ?? '')) return undefined
  const before = /(\d{1,10})[\s\0]{1,20}\d{1,5}[\s\0]{0,20}$/.exec(text.slice(Math.max(0, at - 60), at))
  return before ? { number: Number(before[1]), start: at + 3 } : undefined
}
