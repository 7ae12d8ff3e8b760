import type { Reason } from '#tasks/files/engine.ts'
import type { Inspection } from '../inspection.ts'
import { inflate } from '../packed/inflate.ts'
import { RefusalError, unreadable } from '../refusal.ts'
import { type Source, sliceSource, windowsOf } from '../source.ts'
import { encryptedDocument, withDecryptedPdf } from './pdf-encrypted.ts'
import { decodeNames, embeddedCode, findActionsInFile, findActionsInObjects, isMarkedEncrypted } from './pdf-names.ts'

const windowSize = 1024 ** 2
/** Number of characters of a window that are repeated in the next window, so that no dictionary is cut in two. */
const overlap = 16 * 1024
/** Only programs that take a PDF apart write any. */
const mostPlain = 50
const largestObjects = 64 * 1024 ** 2

const damaged = (detail: string) => new RefusalError('suspicious', 'malformed_document', detail)

export interface PdfFindings {
  reasons: Reason[]
  hasFiles: boolean
}

export async function examinePdfDocument(inspection: Inspection, source: Source, path: string[]): Promise<PdfFindings> {
  // If an encrypted document contains files, the document is always blocked.
  if (await isEncrypted(inspection, source))
    return { reasons: await encryptedActions(inspection, source, path), hasFiles: false }
  const { reasons } = await actionsIn(inspection, source, true)
  const others = reasons.filter(({ code }) => code !== embeddedCode)
  return { reasons: others, hasFiles: others.length < reasons.length }
}

async function encryptedActions(inspection: Inspection, source: Source, path: string[]): Promise<Reason[]> {
  const shut = await actionsIn(inspection, source, false)
  return await withDecryptedPdf(inspection, source, path, async (opened) => {
    if (await isEncrypted(inspection, opened)) throw encryptedDocument('It cannot be opened without a password.')
    const plain = await actionsIn(inspection, opened, true)
    // Another reader may find objects that qpdf does not reach through the newest table.
    if (plain.packed < shut.packed) throw encryptedDocument('It has packed objects that are not part of its pages.')
    return onePerCode([...shut.reasons, ...plain.reasons])
  })
}

const onePerCode = (reasons: Reason[]) => [...new Map(reasons.map((reason) => [reason.code, reason])).values()]

async function* textOf({ signal }: Inspection, source: Source) {
  for await (const { bytes, start, seen } of windowsOf(source, overlap, { size: windowSize })) {
    signal.throwIfAborted()
    yield { text: bytes.toString('latin1'), start, seen }
  }
}

async function isEncrypted(inspection: Inspection, source: Source): Promise<boolean> {
  for await (const { text } of textOf(inspection, source)) if (isMarkedEncrypted(text)) return true
  return false
}

/**
 * Returns the actions in the plain text of a document, and in its object streams if they can be unpacked. `packed` is
 * the number of object streams.
 */
async function actionsIn(
  inspection: Inspection,
  source: Source,
  isOpen: boolean,
): Promise<{ reasons: Reason[]; packed: number }> {
  const reasons: Reason[] = []
  let [packed, plain] = [0, 0]
  for await (const { text, start, seen } of textOf(inspection, source)) {
    reasons.push(...findActionsInFile(text))
    for (const { dictionary, dataStart } of streamsIn(text, seen)) {
      packed += 1
      if (!isOpen) continue
      if (isPlain(dictionary)) plain += 1
      if (plain > mostPlain) throw damaged('The document has more unpacked object streams than any program writes.')
      const data = sliceSource(source, start + dataStart, source.size)
      reasons.push(...findActionsInObjects(await unpackedObjects(inspection, data, dictionary)))
    }
  }
  return { reasons: onePerCode(reasons), packed }
}

export async function* readObjectStreams(inspection: Inspection, source: Source): AsyncGenerator<string> {
  for await (const { text, start, seen } of textOf(inspection, source))
    for (const { dictionary, dataStart } of streamsIn(text, seen))
      yield await unpackedObjects(inspection, sliceSource(source, start + dataStart, source.size), dictionary)
}

const isPlain = (dictionary: string) => !/\/(?:Filter|F)[\s\0[/]/.test(dictionary)

/** Text after the word that starts a stream's data, as accepted by lenient readers. */
const begins = /(?<!end)stream(?:[ \t\f\0]*(?:\r?\n|\r)|(?=[8HXhx]))/g

/**
 * Yields the object streams after `from` in a text, with decoded names. Each includes the text between the previous
 * stream and itself.
 */
function* streamsIn(text: string, from: number): Generator<{ dictionary: string; dataStart: number }> {
  let last = 0
  for (const match of text.matchAll(begins)) {
    const dataStart = match.index + match[0].length
    const dictionary = decodeNames(text.slice(Math.max(last, match.index - overlap), match.index))
    if (dataStart > from && isObjects(dictionary)) yield { dictionary, dataStart }
    last = dataStart
  }
}

/**
 * True for an object stream (ISO 32000-1, 7.5.7): by its type, or by the two numbers that every reader needs. An
 * outline's `First` is a reference.
 */
const isObjects = (dictionary: string) =>
  /\/ObjStm/.test(dictionary) ||
  (/\/First[\s\0]*\d{1,10}(?![\s\0]*\d)/.test(dictionary) && /\/N[\s\0]*\d/.test(dictionary))

async function unpackedObjects(inspection: Inspection, data: Source, dictionary: string): Promise<string> {
  if (isPlain(dictionary)) return (await data.read(0, windowSize)).toString('latin1').split('endstream')[0] ?? ''
  const isDeflated = /\/(?:Filter|F)[\s\0]*(?:\[[\s\0]*)?\/(?:FlateDecode|Fl)[\s\0]*(?:\]|\/|>>|$)/.test(dictionary)
  const isChained = /\/(?:Filter|F)[\s\0]*\[[^\]]*\/[^\]]*\//.test(dictionary)
  if (!isDeflated || isChained || predicts.some((pattern) => pattern.test(dictionary)))
    throw damaged('The document hides its objects behind filters that no program uses there.')
  return await inflated(inspection, data)
}

/** Matches predictors, or a reference to an object that can contain a predictor. */
const predicts = [/\/Predictor[\s\0]*(?:[2-9]|1\d)/, /\/(?:Predictor|DecodeParms|DP)[\s\0]*\d+[\s\0]+\d+[\s\0]+R/]

async function inflated(inspection: Inspection, packed: Source): Promise<string> {
  const chunks: Buffer[] = []
  const passed = { consumed: 0 }
  let size = 0
  for await (const chunk of inflate(sliceSource(packed, 2, packed.size), passed, inspection.signal)) {
    inspection.unpack(chunk.length)
    size += chunk.length
    if (size > largestObjects) throw unreadable('too_large', 'The packed objects of the document are too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('latin1')
}
