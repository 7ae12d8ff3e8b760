/** A value of a PDF (ISO 32000-2, 7.3), as far as files in it are told by it. */
export type PdfValue = PdfDictionary | PdfValue[] | Buffer | Reference | string

/** A dictionary; each of its keys, written plainly, with all of its values. */
export type PdfDictionary = Map<string, PdfValue[]>

/** An object that stands elsewhere, by its number. */
export class Reference {
  readonly number: number

  constructor(number: number) {
    this.number = number
  }
}

const token =
  /(?:(<<|>>|[[\]])|(\d{1,10})[\s\0]+\d{1,5}[\s\0]+R(?![A-Za-z0-9])|(\/[^\s\0()<>[\]{}/%]*)|(\()|<([0-9A-Fa-f\s\0]*)>|([^\s\0()<>[\]{}/%]+))/y

const deepest = 50

const [blanks, lineEnd] = [/[\s\0]*/y, /[\r\n]/g]

/** Where something else than white space and comments stands (7.2.3). */
function skip(text: string, from: number): number {
  for (let at = from; ; ) {
    blanks.lastIndex = at
    blanks.test(text)
    if (text[blanks.lastIndex] !== '%') return blanks.lastIndex
    lineEnd.lastIndex = blanks.lastIndex
    at = lineEnd.exec(text)?.index ?? text.length
  }
}

/** The value that a text has at a place, and where it ends; undefined where no value is to be read. */
export function valueAt(text: string, start: number): { value: PdfValue; end: number } | undefined {
  const reader = { text, at: start }
  const value = read(reader, 0)
  return value === undefined || value === ends ? undefined : { value, end: reader.at }
}

interface Reader {
  text: string
  at: number
}

/** What ends a dictionary or an array. */
const ends = Symbol('ends')

function read(reader: Reader, depth: number): PdfValue | typeof ends | undefined {
  const begun = skip(reader.text, reader.at)
  token.lastIndex = begun
  const match = token.exec(reader.text)
  if (!match || depth > deepest) return undefined
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
    found.set(key, [...(found.get(key) ?? []), items[i + 1] as PdfValue])
  }
  return found
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '', '\r': '' }

/** A literal string (7.3.4.2), behind the parenthesis that begins it. */
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

/** Every dictionary in a value, itself included. */
export function* dictionariesIn(value: PdfValue): Generator<PdfDictionary> {
  if (value instanceof Map) {
    yield value
    for (const values of value.values()) for (const one of values) yield* dictionariesIn(one)
  } else if (Array.isArray(value)) for (const one of value) yield* dictionariesIn(one)
}

/** An object that stands in a file by itself (7.3.10), and where its value begins. */
interface NumberedObject {
  number: number
  start: number
}

/** The objects that stand in a text by themselves. */
export function* objectsIn(text: string): Generator<NumberedObject> {
  for (let at = text.indexOf('obj'); at !== -1; at = text.indexOf('obj', at + 3)) {
    const object = objectAt(text, at)
    if (object) yield object
  }
}

/** The last object that begins before a place. */
export function objectBefore(text: string, place: number): NumberedObject | undefined {
  for (let at = text.lastIndexOf('obj', place); at !== -1; at = at === 0 ? -1 : text.lastIndexOf('obj', at - 1)) {
    const object = objectAt(text, at)
    if (object) return object
  }
  return undefined
}

/** The object whose `obj` stands at a place, if it does. */
function objectAt(text: string, at: number): NumberedObject | undefined {
  const before = /(\d{1,10})[\s\0]{1,20}\d{1,5}[\s\0]{0,20}$/.exec(text.slice(Math.max(0, at - 60), at))
  return before ? { number: Number(before[1]), start: at + 3 } : undefined
}
