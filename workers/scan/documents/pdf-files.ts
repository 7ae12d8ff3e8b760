import type { Inspection } from '../inspection.ts'
import type { Inner, OpenedArchive } from '../opened-archive.ts'
import { inflate } from '../packed/inflate.ts'
import { Refusal } from '../refusal.ts'
import { part, type Source } from '../source.ts'
import { objectStreams } from './pdf.ts'
import { filesIn, typedFilesIn } from './pdf-names.ts'
import {
  dictionariesIn,
  objectBefore,
  objectsIn,
  type PdfDictionary,
  type PdfValue,
  Reference,
  valueAt,
} from './pdf-objects.ts'

/** A document whose files not every reader may take out in the same way. */
const unsure = () =>
  new Refusal('suspicious', 'embedded_file', 'It holds a file of its own, which cannot be taken out of it safely.')

/** Bytes of a document that is read at once, and files of one. */
const [largest, mostFiles] = [32 * 1024 ** 2, 1_000]

/** What specifications of files (ISO 32000-2, 7.11) say: the names of each stream that they refer to, by its number. */
type Names = Map<number, Set<string>>

/** A stream that holds a file, and where its data begin. */
interface FileStream {
  number: number
  dictionary: PdfDictionary
  start: number
}

/**
 * Takes the files out of a PDF that is not encrypted: every stream that a specification of a file refers to, in any revision, and every
 * one that says that it is a file. Refuses a document with a mention that it does not understand.
 */
export async function openPdfFiles(inspection: Inspection, source: Source): Promise<OpenedArchive> {
  if (source.size > largest) throw unsure()
  const text = (await source.read(0, source.size)).toString('latin1')
  const names: Names = new Map()
  const mentions = filesIn(text)
  const values = enclosing(text, mentions).map(({ value }) => value)
  noteFiles(values, mentions.length, names)
  for await (const packed of objectStreams(inspection, source))
    noteFiles(valuesOf(packed), filesIn(packed, 'anywhere').length, names)
  for (const { number } of enclosing(text, typedFilesIn(text))) if (!names.has(number)) names.set(number, new Set())
  const streams = streamsOf(text, names)
  async function* inners(): AsyncGenerator<Inner> {
    for (const stream of streams) {
      inspection.enter()
      const named = [...(names.get(stream.number) ?? [])]
      yield { names: named.length > 0 ? named : ['attachment'], bytes: bytesOf(inspection, text, source, stream) }
    }
  }
  return { holder: 'attachment', inners: inners() }
}

/** Notes what the specifications in some values say; refuses fewer of them than are mentioned. */
function noteFiles(values: Iterable<PdfValue>, mentioned: number, names: Names): void {
  let noted = 0
  for (const value of values) {
    for (const dictionary of dictionariesIn(value)) {
      if (!dictionary.has('/EF')) continue
      noteFile(dictionary, names)
      noted++
    }
  }
  if (noted < mentioned) throw unsure()
}

function noteFile(dictionary: PdfDictionary, names: Names): void {
  const [files, ...others] = dictionary.get('/EF') ?? []
  if (!(files instanceof Map) || others.length > 0 || dictionary.has('/RF')) throw unsure()
  const strings = ['/UF', '/F', '/DOS', '/Mac', '/Unix'].flatMap((key) => dictionary.get(key) ?? [])
  const own = strings.map((value) => (Buffer.isBuffer(value) ? textOf(value) : undefined))
  for (const value of [...files.values()].flat()) {
    if (!(value instanceof Reference)) throw unsure()
    const known = names.get(value.number) ?? new Set()
    names.set(value.number, known)
    for (const name of own) {
      if (name === undefined) throw unsure()
      known.add(name)
    }
  }
  if (names.size > mostFiles) throw unsure()
}

/** A text string (7.9.2.2): UTF-16 or UTF-8 by its first bytes. */
function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) return bytes.toString('utf8', 3)
  return bytes.toString('latin1')
}

/** The objects in which places of a text lie. */
function enclosing(text: string, places: readonly number[]): { number: number; value: PdfValue }[] {
  if (places.length > mostFiles) throw unsure()
  const found = new Map<number, { number: number; value: PdfValue }>()
  for (const place of places) {
    const object = objectBefore(text, place)
    const read = object && valueAt(text, object.start)
    if (!read || read.end < place) throw unsure()
    found.set(object.start, { number: object.number, value: read.value })
  }
  return [...found.values()]
}

/** The values that stand in an object stream, one behind the other. */
function* valuesOf(packed: string): Generator<PdfValue> {
  for (let at = 0, read = valueAt(packed, at); read; read = valueAt(packed, at)) {
    yield read.value
    at = read.end
  }
}

/** Every stream that has one of these numbers; refuses a number that no stream has. */
function streamsOf(text: string, names: Names): FileStream[] {
  if (names.size === 0) return []
  const found: FileStream[] = []
  for (const { number, start } of objectsIn(text)) {
    if (!names.has(number)) continue
    const read = valueAt(text, start)
    const begins = /^[\s\0]*stream(?:\r\n|\n|\r)/.exec(text.slice(read?.end, (read?.end ?? 0) + 32))
    if (!(read?.value instanceof Map) || !begins) throw unsure()
    found.push({ number, dictionary: read.value, start: read.end + begins[0].length })
  }
  const isFound = new Set(found.map(({ number }) => number))
  if (found.length > mostFiles || [...names.keys()].some((number) => !isFound.has(number))) throw unsure()
  return found
}

/** What takes the bytes of a file out; refuses filters that no program uses for files. */
function bytesOf(inspection: Inspection, text: string, source: Source, stream: FileStream): Inner['bytes'] {
  const { dictionary, start } = stream
  const filters = (dictionary.get('/Filter') ?? []).flat()
  const parameters = ['/DecodeParms', '/DP', '/F', '/FFilter'].flatMap((key) => (dictionary.get(key) ?? []).flat())
  if (parameters.some((value) => value !== 'null')) throw unsure()
  if (filters.length === 0) return part(source, start, start + lengthOf(text, stream))
  if (filters.length > 1 || filters[0] !== '/FlateDecode') throw unsure()
  return async function* () {
    let size = 0
    const packed = part(source, start + 2, source.size)
    for await (const chunk of inflate(packed, { consumed: 0 }, inspection.signal)) {
      size += chunk.length
      inspection.checkRatio(packed.size, size)
      yield chunk
    }
  }
}

/** The length of data that are not packed, which have to end there. */
function lengthOf(text: string, { dictionary, start }: FileStream): number {
  const given = dictionary.get('/Length') ?? []
  const lengths = given.flatMap((value) => (value instanceof Reference ? valuesNumbered(text, value.number) : value))
  const [length] = lengths
  const isOne = typeof length === 'string' && /^\d{1,9}$/.test(length) && lengths.every((other) => other === length)
  if (!isOne || !/^[\s\0]*endstream/.test(text.slice(start + Number(length)).slice(0, 32))) throw unsure()
  return Number(length)
}

const valuesNumbered = (text: string, number: number): (PdfValue | undefined)[] =>
  [...objectsIn(text)].filter((one) => one.number === number).map(({ start }) => valueAt(text, start)?.value)
