import { ImportError } from './import-error.ts'
import { readCsv } from './read-csv.ts'
import { readJson } from './read-json.ts'
import { readXml } from './read-xml.ts'
import type { FileShape, Row } from './row.ts'

const longestHeader = 65_536

const mostBytes = 20 * 2 ** 30

/**
 * Reads CSV records, JSON records if the file starts with `[` or `{`, or XML records if it starts with `<`, in UTF-8 with or without a byte order mark.
 * Throws `ImportError`, for example if a heading is missing.
 */
export async function* readRecords(bytes: AsyncIterable<Buffer>, shape: FileShape): AsyncGenerator<Row> {
  const [head, whole] = await peek(bytes)
  const text = decoded(whole)
  const first = head.toString('utf8').replace('\ufeff', '').trimStart()[0]
  try {
    if (first === '<' && shape.element !== undefined) yield* readXml(text, shape.element, shape.headings)
    else yield* first === '[' || first === '{' ? readJson(text, shape) : readCsv(head, text, shape.headings)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    throw code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? new ImportError('The file is not UTF-8 text.') : error
  }
}

/** Returns the first line with content, and the whole stream. */
async function peek(bytes: AsyncIterable<Buffer>): Promise<[Buffer, AsyncIterable<Buffer>]> {
  const iterator = bytes[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (lineOf(head) === undefined && head.length < longestHeader) {
    const next = await iterator.next()
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  const whole = (async function* () {
    yield head
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
  return [lineOf(head) ?? head, whole]
}

function lineOf(head: Buffer): Buffer | undefined {
  for (let from = 0, end = head.indexOf(10); end >= 0; from = end + 1, end = head.indexOf(10, from)) {
    const line = head.subarray(from, end)
    if (line.toString('utf8').replace('\ufeff', '').trim() !== '') return line
  }
  return undefined
}

/** Decodes UTF-8 without a byte order mark. Throws for invalid UTF-8. */
async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > mostBytes) throw new ImportError(`The file is larger than ${mostBytes} bytes.`)
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  yield decoder.decode()
}
