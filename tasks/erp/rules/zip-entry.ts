import { ImportError } from './import-error.ts'

/** A file whose bytes are read in any order. */
export interface RangedFile {
  bytes: number
  /** Its bytes from `from` on, without `to`. */
  read(from: number, to: number): Promise<AsyncIterable<Buffer>>
}

/** A file in an archive. */
export interface ZipEntry {
  name: string
  method: 'stored' | 'deflated'
  /** Of its content, as the archive tells it. */
  crc32: number
  /** Where its bytes are in the archive, as they are packed. */
  from: number
  to: number
}

// APPNOTE.TXT 4.3: the records of an archive, and how long they are without their names and comments.
const end = { signature: 0x06054b50, length: 22 }
const end64 = { signature: 0x06064b50, length: 56 }
const locator64 = { signature: 0x07064b50, length: 20 }
const central = { signature: 0x02014b50, length: 46 }
const local = { signature: 0x04034b50, length: 30 }

/** Bytes of the longest comment behind an archive. */
const longestComment = 65_535

/** Bytes of the longest list of what an archive has: registers publish archives of a few files. */
const longestDirectory = 1_000_000

/** The one file of data in a zip archive: what is no CSV or JSON, as a notice, is passed over. Throws `ImportError`. */
export async function dataEntryOf(file: RangedFile): Promise<ZipEntry> {
  const entries = await entriesOf(file)
  const data = entries.filter(
    ({ name }) => /\.(csv|txt|tsv|json|jsonl|ndjson)$/i.test(name) && !name.startsWith('__MACOSX/'),
  )
  const [one, another] = data
  if (!one) throw broken(entries.length === 0 ? 'has no file' : 'has no CSV or JSON')
  if (another)
    throw broken(
      `has several files: ${data
        .slice(0, 3)
        .map(({ name }) => name)
        .join(', ')}`,
    )
  if (one.encrypted) throw broken('is encrypted')
  if (one.method !== 0 && one.method !== 8) throw broken(`is packed by method ${one.method}, which is not read here`)
  const head = await bytesOf(file, one.at, one.at + local.length)
  if (head.readUInt32LE(0) !== local.signature) throw broken('is broken')
  const from = one.at + local.length + head.readUInt16LE(26) + head.readUInt16LE(28)
  const to = from + one.packed
  if (to > file.bytes) throw broken('ends too early')
  return { name: one.name, method: one.method === 0 ? 'stored' : 'deflated', crc32: one.crc32, from, to }
}

interface Listed {
  name: string
  encrypted: boolean
  method: number
  crc32: number
  packed: number
  at: number
}

async function entriesOf(file: RangedFile): Promise<Listed[]> {
  const { from, to, count } = await directoryOf(file)
  if (count === 0) return []
  if (from > to || to > file.bytes || to - from > longestDirectory) throw broken('is broken')
  const list = await bytesOf(file, from, to)
  const found: Listed[] = []
  for (let at = 0; found.length < count; ) {
    if (at + central.length > list.length || list.readUInt32LE(at) !== central.signature) throw broken('is broken')
    const [name, extra, comment] = [28, 30, 32].map((field) => list.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ]
    const after = at + central.length + name + extra + comment
    if (after > list.length) throw broken('is broken')
    found.push(listed(list.subarray(at, after), name, extra))
    at = after
  }
  return found.filter(({ name }) => !name.endsWith('/'))
}

function listed(record: Buffer, nameLength: number, extraLength: number): Listed {
  const sizes = { unpacked: record.readUInt32LE(24), packed: record.readUInt32LE(20), at: record.readUInt32LE(42) }
  const name = record.toString('utf8', central.length, central.length + nameLength)
  const extra = record.subarray(central.length + nameLength, central.length + nameLength + extraLength)
  const flags = record.readUInt16LE(8)
  return {
    name,
    encrypted: (flags & 1) === 1,
    method: record.readUInt16LE(10),
    crc32: record.readUInt32LE(16),
    ...zip64(extra, sizes),
  }
}

/** Sizes past 4 GiB stand in an extra field (APPNOTE.TXT 4.5.3), in this order and as far as they are past it. */
function zip64(extra: Buffer, sizes: { unpacked: number; packed: number; at: number }) {
  const large = Object.entries(sizes).filter(([, size]) => size === 0xffffffff)
  if (large.length === 0) return sizes
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    if (at + 4 + 8 * large.length > extra.length) break
    return { ...sizes, ...Object.fromEntries(large.map(([name], i) => [name, big(extra, at + 4 + 8 * i)])) }
  }
  throw broken('is broken')
}

/** Where the list of an archive's files lies. */
async function directoryOf(file: RangedFile): Promise<{ from: number; to: number; count: number }> {
  const start = Math.max(0, file.bytes - end.length - longestComment - locator64.length)
  const tail = await bytesOf(file, start, file.bytes)
  for (let at = tail.length - end.length; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== end.signature || at + end.length + tail.readUInt16LE(at + 20) !== tail.length)
      continue
    const [count, length, from] = [tail.readUInt16LE(at + 10), tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
    if (from !== 0xffffffff && count !== 0xffff) return { from, to: from + length, count }
    return await directory64(file, tail, at)
  }
  throw broken('has no end: it is not whole')
}

async function directory64(file: RangedFile, tail: Buffer, endAt: number) {
  const at = endAt - locator64.length
  if (at < 0 || tail.readUInt32LE(at) !== locator64.signature) throw broken('is broken')
  const recordAt = big(tail, at + 8)
  const record = await bytesOf(file, recordAt, recordAt + end64.length)
  if (record.readUInt32LE(0) !== end64.signature) throw broken('is broken')
  const [count, length, from] = [big(record, 32), big(record, 40), big(record, 48)]
  return { from, to: from + length, count }
}

const big = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at))

async function bytesOf(file: RangedFile, from: number, to: number): Promise<Buffer> {
  if (from < 0 || from >= to || to > file.bytes) throw broken('is broken')
  const chunks: Buffer[] = []
  for await (const chunk of await file.read(from, to)) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  if (whole.length !== to - from) throw broken('ends too early')
  return whole
}

const broken = (how: string) => new ImportError(`It is a zip archive that ${how}.`)
