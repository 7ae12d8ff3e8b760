import { setImmediate as turn } from 'node:timers/promises'
import type { Inspection } from '../inspection.ts'
import type { InnerContent, OpenedArchive } from '../opened-archive.ts'
import { inflate } from '../packed/inflate.ts'
import { RefusalError } from '../refusal.ts'
import { type Source, sliceSource } from '../source.ts'
import { readObjectStreams } from './pdf.ts'
import { findFileMentions, findTypedFiles } from './pdf-names.ts'
import {
  dictionariesIn,
  type NumberedObject,
  objectBefore,
  objectsIn,
  type PdfDictionary,
  type PdfValue,
  Reference,
  valueAt,
} from './pdf-objects.ts'

const unsure = () =>
  new RefusalError('suspicious', 'embedded_file', 'The document contains a file that cannot be extracted safely.')

/**
 * Maximum size in bytes of a document in memory, maximum number of files per document, and maximum number of characters
 * in their names.
 */
const [largest, mostFiles, longestName] = [32 * 1024 ** 2, 1_000, 4_000]

/** Minimum number of characters that each value counts for. */
const leastRead = 64

/** Names per stream number in file specifications (ISO 32000-2, 7.11). */
type Names = Map<number, Set<string>>

interface FileStream {
  number: number
  dictionary: PdfDictionary
  start: number
}

/** A document with its objects. Limits how much is parsed, so that a crafted document is rejected. */
class Pdf {
  readonly text: string
  readonly objects: readonly NumberedObject[]
  readonly #signal: AbortSignal
  /** Remaining characters to parse, because nested objects could be parsed repeatedly. */
  #left: number

  constructor(text: string, signal: AbortSignal) {
    this.text = text
    this.objects = objectsIn(text) ?? refuse()
    this.#signal = signal
    this.#left = 4 * text.length + 64 * 1024
  }

  async read(start: number): Promise<{ value: PdfValue; end: number }> {
    await turn(undefined, { signal: this.#signal })
    const read = valueAt(this.text, start) ?? refuse()
    this.#left -= Math.max(leastRead, read.end - start)
    return this.#left < 0 ? refuse() : read
  }
}

function refuse(): never {
  throw unsure()
}

/**
 * Extracts the files of a PDF without encryption: every stream in a file specification, in any revision, and every
 * stream marked as a file. Rejects a document that mentions a file in a way that cannot be parsed.
 */
export async function openPdfFiles(inspection: Inspection, source: Source): Promise<OpenedArchive> {
  if (source.size > largest) throw unsure()
  const text = (await source.read(0, source.size)).toString('latin1')
  const pdf = new Pdf(text, inspection.signal)
  const names: Names = new Map()
  const mentions = findFileMentions(text) ?? refuse()
  const values = (await enclosing(pdf, mentions)).map(({ value }) => value)
  noteFiles(values, mentions.length, names)
  for await (const packed of readObjectStreams(inspection, source)) {
    const packedMentions = (findFileMentions(packed, 'anywhere') ?? refuse()).length
    if (packedMentions > 0) noteFiles(valuesOf(packed), packedMentions, names)
  }
  for (const { number } of await enclosing(pdf, findTypedFiles(text) ?? refuse()))
    if (!names.has(number)) names.set(number, new Set())
  const streams = await streamsOf(pdf, names)
  async function* inners(): AsyncGenerator<InnerContent> {
    for (const stream of streams) {
      inspection.enter()
      const named = [...(names.get(stream.number) ?? [])]
      yield { names: named.length > 0 ? named : ['attachment'], bytes: await bytesOf(inspection, pdf, source, stream) }
    }
  }
  return { holder: 'attachment', inners: inners() }
}

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
      if (name === undefined || name.length > longestName) throw unsure()
      known.add(name)
    }
  }
  if (names.size > mostFiles) throw unsure()
}

/** Decodes a text string (7.9.2.2): UTF-16 or UTF-8 by its first bytes. */
function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) return bytes.toString('utf8', 3)
  return bytes.toString('latin1')
}

async function enclosing(pdf: Pdf, places: readonly number[]): Promise<{ number: number; value: PdfValue }[]> {
  if (places.length > mostFiles) throw unsure()
  const found = new Map<number, { number: number; value: PdfValue; end: number }>()
  for (const place of places) {
    const object = objectBefore(pdf.objects, place) ?? refuse()
    const read = found.get(object.start) ?? { number: object.number, ...(await pdf.read(object.start)) }
    if (read.end < place) throw unsure()
    found.set(object.start, read)
  }
  return [...found.values()]
}

function* valuesOf(packed: string): Generator<PdfValue> {
  for (let at = 0, read = valueAt(packed, at); read; read = valueAt(packed, at)) {
    yield read.value
    at = read.end
  }
}

async function streamsOf(pdf: Pdf, names: Names): Promise<FileStream[]> {
  const found: FileStream[] = []
  for (const { number, start } of pdf.objects) {
    if (!names.has(number)) continue
    const { value, end } = await pdf.read(start)
    const begins = /^[\s\0]*stream(?:\r\n|\n|\r)/.exec(pdf.text.slice(end, end + 32))
    if (!(value instanceof Map) || !begins) throw unsure()
    found.push({ number, dictionary: value, start: end + begins[0].length })
    if (found.length > mostFiles) throw unsure()
  }
  const isFound = new Set(found.map(({ number }) => number))
  if ([...names.keys()].some((number) => !isFound.has(number))) throw unsure()
  return found
}

/** Returns a function that extracts the bytes of a file. Rejects filters that no program uses for files. */
async function bytesOf(
  inspection: Inspection,
  pdf: Pdf,
  source: Source,
  stream: FileStream,
): Promise<InnerContent['bytes']> {
  const { dictionary, start } = stream
  const filters = (dictionary.get('/Filter') ?? []).flat()
  const parameters = ['/DecodeParms', '/DP', '/F', '/FFilter'].flatMap((key) => (dictionary.get(key) ?? []).flat())
  if (parameters.some((value) => value !== 'null')) throw unsure()
  if (filters.length === 0) return sliceSource(source, start, start + (await lengthOf(pdf, stream)))
  if (filters.length > 1 || filters[0] !== '/FlateDecode') throw unsure()
  return async function* () {
    let size = 0
    const packed = sliceSource(source, start + 2, source.size)
    for await (const chunk of inflate(packed, { consumed: 0 }, inspection.signal)) {
      size += chunk.length
      inspection.checkRatio(packed.size, size)
      yield chunk
    }
  }
}

/** Returns the length of unpacked data. The data must end at that position. */
async function lengthOf(pdf: Pdf, { dictionary, start }: FileStream): Promise<number> {
  const lengths: (PdfValue | undefined)[] = []
  for (const value of dictionary.get('/Length') ?? [])
    lengths.push(...(value instanceof Reference ? await valuesNumbered(pdf, value.number) : [value]))
  const [length] = lengths
  const isOne = typeof length === 'string' && /^\d{1,9}$/.test(length) && lengths.every((other) => other === length)
  if (!isOne || !/^[\s\0]*endstream/.test(pdf.text.slice(start + Number(length)).slice(0, 32))) throw unsure()
  return Number(length)
}

async function valuesNumbered(pdf: Pdf, number: number): Promise<PdfValue[]> {
  const values: PdfValue[] = []
  for (const object of pdf.objects) if (object.number === number) values.push((await pdf.read(object.start)).value)
  return values
}
