import type { Reason } from '#tasks/files/engine.ts'
import { type Source, windowsOf } from '../source.ts'
import { isRemote } from './xml.ts'

/**
 * Number of characters of a chunk that are repeated in the next chunk. Of an object, the same number of characters is
 * read.
 */
const overlap = 16 * 1024

const remote: Reason = {
  code: 'remote_template',
  detail: 'The document loads a template from the network when it is opened.',
}
const loads: Reason = { code: 'embedded_object', detail: 'The document loads an object when it is opened.' }
const embedded: Reason = {
  code: 'embedded_file',
  detail: 'The document contains a packed file, or an object that runs.',
}

/** Classes of objects that people open, or that exploit a fault in their program. */
const classes = /Package|OLE2Link|Equation\.|htmlfile|Shell\.Explorer|otkloadr|ScriptBridge|MSCOMCTL|\.script/i
const streams = ['\u0001Ole10Native', 'Equation Native'].map((name) => Buffer.from(name, 'utf16le'))

export async function findRtfFaults(source: Source): Promise<Reason[]> {
  const found = new Map<string, Reason>()
  for await (const { bytes } of windowsOf(source, overlap)) {
    const text = bytes.toString('latin1')
    if (/\\obj(?:update|autlink|link|ocx)(?![a-z])/.test(text)) found.set(loads.code, loads)
    if (templatesIn(text).some(isRemote)) found.set(remote.code, remote)
    if (!found.has(embedded.code) && holdsFile(text)) found.set(embedded.code, embedded)
  }
  return [...found.values()]
}

/** Returns template URLs. Their characters can be written as numbers. */
const templatesIn = (text: string): string[] =>
  [...text.matchAll(/\\template(?![a-z])([^{}]{0,4000})/g)].map(([, address = '']) =>
    address
      .replace(/\\'([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
      .replace(/\\u(\d{1,5}) ?\??/g, (_, digits: string) => String.fromCharCode(Number(digits)))
      .replaceAll('\\\\', '\\')
      .trim(),
  )

function holdsFile(text: string): boolean {
  let last = Number.NEGATIVE_INFINITY
  for (const { index } of text.matchAll(/\\objdata(?![a-z])/g)) {
    // A match within the previous object is a word among its digits. Readers skip such words.
    if (index < last + overlap / 4) continue
    last = index
    const digits = digitsOf(text.slice(index + 8, index + overlap))
    // A decoy before the digits can add one digit.
    if ([digits, digits.slice(1)].some((held) => holdsClass(Buffer.from(held, 'hex')))) return true
  }
  return false
}

const holdsClass = (data: Buffer) =>
  classes.test(data.toString('latin1')) || streams.some((name) => data.includes(name))

/** Returns the hex digits of an object. Readers skip all other characters between the digits. */
const digitsOf = (text: string): string => text.replace(/\\[a-z]+-?\d* ?|[^0-9a-f]/gi, '')
