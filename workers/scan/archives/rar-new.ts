import { damaged, encrypted, split, unknown } from '../refusal.ts'
import { Cursor, type Source } from '../source.ts'
import { nameOf, type RarLink, readLink } from './rar-links.ts'
import { Numbers } from './rar-numbers.ts'
import { checkCopies } from './rar-quick-open.ts'
import { checkFile, checkService } from './rar-rules.ts'

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

/**
 * Follows the blocks of a RAR archive of version 5 (CRC, size, type, flags, the sizes of extra records and of what follows); tells
 * where the last one ends, and which are links.
 */
export async function checkNewBlocks(source: Source): Promise<{ end: number; links: RarLink[] }> {
  const links: RarLink[] = []
  const cursor = new Cursor(source, mainBlock)
  let toldCopies = 0
  let copies = 0
  while (true) {
    const begin = cursor.at
    const header = await readHeader(cursor)
    if ((header.type === type.main) !== (begin === mainBlock)) throw damaged()
    if (header.type === type.main) toldCopies = checkMain(header)
    else {
      const { service, link } = checkBlock(header)
      if (link) links.push({ ...link, begin, end: cursor.at })
      if (service === 'QO') {
        await checkCopies(source, begin, cursor.at, cursor.at + header.size)
        copies = begin
      }
    }
    cursor.at += header.size
    if (header.type === type.end) break
  }
  // Elsewhere some tools would take the bytes of a file for them.
  if (toldCopies !== 0 && mainBlock + toldCopies !== copies) throw damaged()
  return { end: cursor.at, links }
}

/** Behind the eight bytes that every archive begins with. */
const mainBlock = 8

/** What a block is besides a file: something that the archive says for itself, by its name, or a link. */
interface Beside {
  service?: string
  link?: Pick<RarLink, 'name' | 'target' | 'isCopy'>
}

function checkBlock(header: Header): Beside {
  if (header.type === type.encryption) throw encrypted()
  if (header.type === type.file || header.type === type.service) return checkEntry(header)
  // What libarchive does not know it ends at, or reads on within.
  if (header.type !== type.end) throw unknown()
  if (header.size > 0) throw damaged()
  return {}
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

/**
 * It has nothing behind it and, of records, at most the one that tells where others are: libarchive reads on behind that one.
 * Tells where it says that copies of headers are, counted from it; 0 for nowhere.
 */
function checkMain({ fields, records, size }: Header): number {
  if ((fields.next() & 3) !== 0) throw split()
  if (size > 0 || !fields.isAtEnd) throw damaged()
  if (records.length === 0) return 0
  const record = new Numbers(records)
  const end = record.next() + record.at
  if (record.next() !== 1) throw unknown()
  const flags = record.next()
  const copies = (flags & 1) === 0 ? 0 : record.next()
  if ((flags & 2) !== 0) record.next()
  if (record.at !== end || !record.isAtEnd) throw damaged()
  return copies
}

const record = { encryption: 1, redirection: 5 }
/** The bits of how an entry is packed that tell the method, of which 0 is none. */
const method = 0x380

function checkEntry({ type: kind, flags, fields, records, size }: Header): Beside {
  const held = recordsOf(records)
  if (held.has(record.encryption)) throw encrypted()
  if ((flags & flag.split) !== 0) throw split()
  const own = fields.next()
  const unpacked = fields.next()
  const value = fields.next()
  fields.skip((own & 2 ? 4 : 0) + (own & 4 ? 4 : 0))
  const packing = fields.next()
  const isDos = fields.next() === 0
  const name = fields.text(fields.next())
  if (!fields.isAtEnd) throw damaged()
  if (kind === type.service) {
    checkService(name)
    if (name === 'QO' && ((packing & method) !== 0 || unpacked !== size)) throw unknown()
    return { service: name }
  }
  checkFile({ size, isFolder: (own & 1) !== 0, attributes: { isDos, value }, link: null })
  const redirection = held.get(record.redirection)
  if (redirection === undefined) return {}
  if (size > 0) throw damaged()
  return { link: { name: nameOf(name), ...readLink(redirection) } }
}

/** The records at the end of a header by their types, of which each is there once at most. */
function recordsOf(bytes: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>()
  const records = new Numbers(bytes)
  while (!records.isAtEnd) {
    const size = records.next()
    const end = records.at + size
    if (size === 0 || end > bytes.length) throw damaged()
    const kind = records.next()
    if (found.has(kind) || records.at > end) throw damaged()
    found.set(kind, bytes.subarray(records.at, end))
    records.at = end
  }
  return found
}
