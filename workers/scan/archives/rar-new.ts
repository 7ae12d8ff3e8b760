import { Cursor, type Source } from '../source.ts'
import { checkFile, checkService, damaged, encrypted, split, unknown } from './rar-rules.ts'

const type = { main: 1, file: 2, service: 3, encryption: 4, end: 5 }
const flag = { extra: 1, data: 2, split: 0x18 }
const longestHeader = 2 * 1024 ** 2

/** The header of a block of version 5: what it says, where its own fields begin and its extra records do. */
interface Header {
  type: number
  flags: number
  fields: Numbers
  records: Buffer
  size: number
}

/** Follows the blocks of a RAR archive of version 5 (CRC, size, type, flags, the sizes of extra records and of what follows). */
export async function checkNewBlocks(source: Source): Promise<number> {
  const cursor = new Cursor(source, 8)
  for (let count = 0; ; count++) {
    const header = await readHeader(cursor)
    checkBlock(header, count === 0)
    cursor.at += header.size
    if (header.type === type.end) return cursor.at
  }
}

function checkBlock(header: Header, isFirst: boolean): void {
  if (header.type === type.encryption) throw encrypted()
  if ((header.type === type.main) !== isFirst) throw damaged()
  if (header.type === type.main) checkMain(header)
  else if (header.type === type.file || header.type === type.service) checkEntry(header)
  // What libarchive does not know it ends at, or reads on within.
  else if (header.type !== type.end) throw unknown()
  else if (header.size > 0) throw damaged()
}

async function readHeader(cursor: Cursor): Promise<Header> {
  const begin = await cursor.peek(8)
  if (begin.length < 8) throw damaged()
  const told = new Numbers(begin, 4)
  const length = told.next()
  if (length === 0 || length > longestHeader) throw damaged()
  cursor.at += told.at
  const header = Buffer.from(await cursor.take(length))
  if (header.length < length) throw damaged()
  const fields = new Numbers(header)
  const [kind, flags] = [fields.next(), fields.next()]
  const extra = (flags & flag.extra) === 0 ? 0 : fields.next()
  const size = (flags & flag.data) === 0 ? 0 : fields.next()
  if (extra > length) throw damaged()
  const own = new Numbers(header.subarray(0, length - extra), fields.at)
  return { type: kind, flags, fields: own, records: header.subarray(length - extra), size }
}

/** It has nothing behind it and, of records, at most the one that tells where others are: libarchive reads on behind that one. */
function checkMain({ fields, records, size }: Header): void {
  if ((fields.next() & 3) !== 0) throw split()
  if (size > 0 || !fields.isAtEnd) throw damaged()
  if (records.length === 0) return
  const record = new Numbers(records)
  const end = record.next() + record.at
  if (record.next() !== 1) throw unknown()
  const flags = record.next()
  for (const bit of [1, 2]) if ((flags & bit) !== 0) record.next()
  if (record.at !== end || !record.isAtEnd) throw damaged()
}

const record = { encryption: 1, redirection: 5 }

function checkEntry({ type: kind, flags, fields, records, size }: Header): void {
  const held = recordsOf(records)
  if (held.includes(record.encryption)) throw encrypted()
  if ((flags & flag.split) !== 0) throw split()
  const own = fields.next()
  fields.next()
  const value = fields.next()
  fields.skip((own & 2 ? 4 : 0) + (own & 4 ? 4 : 0))
  fields.next()
  const isDos = fields.next() === 0
  const name = fields.text(fields.next())
  if (!fields.isAtEnd) throw damaged()
  if (kind === type.service) {
    checkService(name)
    return
  }
  if (held.includes(record.redirection) && size > 0) throw damaged()
  checkFile({ size, isFolder: (own & 1) !== 0, attributes: { isDos, value }, link: null })
}

/** The types of the records at the end of a header. */
function recordsOf(bytes: Buffer): number[] {
  const found: number[] = []
  const records = new Numbers(bytes)
  while (!records.isAtEnd) {
    const size = records.next()
    const end = records.at + size
    if (size === 0 || end > bytes.length) throw damaged()
    found.push(records.next())
    records.at = end
  }
  return found
}

/** Numbers of seven bits a byte, the lowest first, of which all but the last byte have the eighth set. */
class Numbers {
  at: number
  readonly #bytes: Buffer

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.at = at
  }

  get isAtEnd(): boolean {
    return this.at === this.#bytes.length
  }

  next(): number {
    let value = 0
    for (let place = 1; place <= 2 ** 49; place *= 128) {
      const byte = this.#bytes[this.at++]
      if (byte === undefined) throw damaged()
      value += (byte & 0x7f) * place
      if ((byte & 0x80) === 0) return value
    }
    throw damaged()
  }

  skip(bytes: number): void {
    this.at += bytes
    if (this.at > this.#bytes.length) throw damaged()
  }

  text(length: number): string {
    const start = this.at
    this.skip(length)
    return this.#bytes.toString('latin1', start, this.at)
  }
}
