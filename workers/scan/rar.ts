import { unreadable } from './refusal.ts'
import { Cursor, type Source } from './source.ts'

const encrypted = () => unreadable('encrypted', 'It, or an entry of it, is encrypted.')
const damaged = () => unreadable('malformed_archive', 'It is damaged, cut off, or followed by something else.')
const split = () => unreadable('split_archive', 'It is a part of an archive that was split.')

/** Follows the blocks of a RAR archive: refuses one that is encrypted, which libarchive does not always tell, split, or not whole. */
export async function checkRar(source: Source): Promise<void> {
  const isNew = (await source.read(6, 7))[0] === 1
  const cursor = new Cursor(source, isNew ? 8 : 7)
  while (await (isNew ? newBlock(cursor) : oldBlock(cursor)));
  if (cursor.at !== source.size) throw damaged()
}

const old = { main: 0x73, file: 0x74, service: 0x7a, end: 0x7b }

/** Moves behind a block of version 4 (CRC, type, flags, size, and the size of what follows); false at the last one. */
async function oldBlock(cursor: Cursor): Promise<boolean> {
  const there = await cursor.peek(36)
  // The oldest have no block that says that it is the last.
  if (there.length === 0) return false
  const head = Buffer.concat([there, Buffer.alloc(36)])
  const [type, flags, size] = [head.readUInt8(2), head.readUInt16LE(3), head.readUInt16LE(5)]
  const isFile = type === old.file || type === old.service
  if (size < 7) throw damaged()
  checkFlags(flags, isFile ? { encrypted: 4, split: 3 } : type === old.main ? { encrypted: 0x80, split: 1 } : null)
  const low = isFile || (flags & 0x8000) !== 0 ? head.readUInt32LE(7) : 0
  const high = isFile && (flags & 0x100) !== 0 ? head.readUInt32LE(32) : 0
  cursor.at += size + low + high * 2 ** 32
  return type !== old.end
}

function checkFlags(flags: number, meaning: { encrypted: number; split: number } | null): void {
  if (meaning === null) return
  if ((flags & meaning.encrypted) !== 0) throw encrypted()
  if ((flags & meaning.split) !== 0) throw split()
}

const longestHeader = 2 * 1024 ** 2

/** Moves behind a block of version 5 (CRC, size, type, flags, the sizes of extra records and of what follows); false at the last one. */
async function newBlock(cursor: Cursor): Promise<boolean> {
  const begin = await cursor.peek(8)
  if (begin.length < 8) throw damaged()
  const told = new Numbers(begin, 4)
  const size = told.next()
  if (size === 0 || size > longestHeader) throw damaged()
  cursor.at += told.at
  const header = Buffer.from(await cursor.take(size))
  if (header.length < size) throw damaged()
  const fields = new Numbers(header)
  const [type, flags] = [fields.next(), fields.next()]
  const extra = (flags & 1) === 0 ? 0 : fields.next()
  cursor.at += (flags & 2) === 0 ? 0 : fields.next()
  if (type === 4 || ((type === 2 || type === 3) && isEncrypted(header, extra))) throw encrypted()
  if ((type === 1 && (fields.next() & 1) !== 0) || ((type === 2 || type === 3) && (flags & 0x18) !== 0)) throw split()
  return type !== 5
}

/** Whether one of the records at the end of a header says how the contents are encrypted. */
function isEncrypted(header: Buffer, extra: number): boolean {
  if (extra > header.length) throw damaged()
  const records = new Numbers(header, header.length - extra)
  while (records.at < header.length) {
    const size = records.next()
    const end = records.at + size
    if (size === 0) throw damaged()
    if (records.next() === 1) return true
    records.at = end
  }
  return false
}

/** Numbers of seven bits a byte, the lowest first, of which all but the last byte have the eighth set. */
class Numbers {
  at: number
  readonly #bytes: Buffer

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.at = at
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
}
