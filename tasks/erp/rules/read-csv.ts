import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { CsvError, parse } from 'csv-parse'
import { ImportError } from './import-error.ts'

/** Characters of the longest record: a quote that is never closed would take in the rest of the file. */
const longestRecord = 1_000_000

/** Bytes in which the first line must end. */
const longestHeader = 65_536

/** Bytes of a file, decompressed. */
const mostBytes = 20 * 2 ** 30

/** A record of a file. */
export interface Row {
  /** The line that it ends on. */
  line: number
  /** What stands under a heading; empty when nothing does. */
  get(heading: string): string
}

/**
 * Reads records of CSV in UTF-8, with or without a byte order mark or gzip, separated by whichever of `;`, `,` and tab its first line
 * has most of. Throws `ImportError`, also when one of `headings` is not there.
 */
export async function* readCsv(bytes: AsyncIterable<Buffer>, headings: readonly string[]): AsyncGenerator<Row> {
  const [head, whole] = await peek(await plain(bytes))
  const options = { delimiter: delimiterOf(head), info: true, trim: true, relax_column_count: true }
  const parser = parse({ ...options, skip_empty_lines: true, max_record_size: longestRecord })
  const records = pipeline(Readable.from(decoded(whole)), parser, () => {})
  try {
    let columns: Map<string, number> | undefined
    for await (const { record, info } of records as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (columns) {
        const known = columns
        yield { line: info.lines, get: (heading) => record[known.get(heading) ?? -1] ?? '' }
      } else columns = columnsOf(record, headings)
    }
    if (!columns) throw new ImportError('It is empty.')
  } catch (error) {
    throw readable(error)
  }
}

function columnsOf(record: string[], headings: readonly string[]): Map<string, number> {
  const columns = new Map(record.map((heading, i) => [heading.trim(), i]))
  const lacking = headings.filter((heading) => !columns.has(heading))
  if (lacking.length > 0) throw new ImportError(`Its first line does not name ${lacking.join(', ')}.`)
  return columns
}

/** What is said of an error: faults of the file are said to operators, others stay what they are. */
function readable(error: unknown): unknown {
  if (error instanceof CsvError) return new ImportError(`It is no CSV: ${error.message}`)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return new ImportError('It is not text in UTF-8.')
  if (code.startsWith('Z_')) return new ImportError('It is not gzip throughout, or ends too early.')
  return error
}

async function plain(bytes: AsyncIterable<Buffer>): Promise<AsyncIterable<Buffer>> {
  const iterator = bytes[Symbol.asyncIterator]()
  const first = await iterator.next()
  const head: Buffer = first.done ? Buffer.alloc(0) : first.value
  if (head.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004')
    throw new ImportError('It is a zip archive: unpack it, and import the CSV in it.')
  const whole = Readable.from(
    (async function* () {
      yield head
      yield* { [Symbol.asyncIterator]: () => iterator }
    })(),
  )
  return head[0] === 0x1f && head[1] === 0x8b ? pipeline(whole, createGunzip(), () => {}) : whole
}

/** The first line, as bytes, and all of it. */
async function peek(bytes: AsyncIterable<Buffer>): Promise<[Buffer, AsyncIterable<Buffer>]> {
  const iterator = bytes[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (!head.includes(10) && head.length < longestHeader) {
    const next = await iterator.next().catch((error) => {
      throw readable(error)
    })
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  const whole = (async function* () {
    yield head
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
  return [head.subarray(0, head.includes(10) ? head.indexOf(10) : head.length), whole]
}

function delimiterOf(head: Buffer): string {
  const outside = head.toString('utf8').replace(/"[^"]*"/g, '')
  const times = (delimiter: string) => outside.split(delimiter).length
  return [';', ',', '\t'].toSorted((a, b) => times(b) - times(a))[0] as string
}

/** Its text, without a byte order mark; throws for what is no UTF-8. */
async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > mostBytes) throw new ImportError(`It has more than ${mostBytes} bytes.`)
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  yield decoder.decode()
}
