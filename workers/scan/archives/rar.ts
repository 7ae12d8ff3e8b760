import { damaged, encrypted, split, unknown } from '../refusal.ts'
import { Cursor, type Source } from '../source.ts'
import type { RarLink } from './rar-links.ts'
import { checkNewBlocks } from './rar-new.ts'
import { checkFile, checkService } from './rar-rules.ts'

/**
 * Follows the blocks of a RAR archive: refuses one that is encrypted, which libarchive does not always tell, split, or not whole,
 * and one whose blocks libarchive would follow in another way than other tools do. Tells its links.
 */
export async function checkRar(source: Source): Promise<RarLink[]> {
  const isNew = (await source.read(6, 7))[0] === 1
  const { end, links } = isNew ? await checkNewBlocks(source) : { end: await checkOldBlocks(source), links: [] }
  if (end !== source.size) throw damaged()
  return links
}

const type = {
  main: 0x73,
  file: 0x74,
  comment: 0x75,
  signs: 0x76,
  recovery: 0x78,
  sign: 0x79,
  service: 0x7a,
  end: 0x7b,
}
const known: number[] = Object.values(type)
const hasData = 0x8000
const isLarge = 0x100

/** The blocks of version 4 (CRC, type, flags, size, and the size of what follows). */
async function checkOldBlocks(source: Source): Promise<number> {
  const cursor = new Cursor(source, 7)
  for (let count = 0; ; count++) {
    const there = await cursor.peek(longestHeader)
    // The oldest have no block that says that it is the last.
    if (there.length === 0) return cursor.at
    const head = Buffer.concat([there, Buffer.alloc(longestHeader)])
    const kind = head.readUInt8(2)
    if (!known.includes(kind)) throw unknown()
    if ((kind === type.main) !== (count === 0)) throw damaged()
    await passOld(cursor, kind, head)
    if (kind === type.end) return cursor.at
  }
}

/** The largest that is read of a header: its fields, and the longest name. */
const longestHeader = 40 + 4096

async function passOld(cursor: Cursor, kind: number, head: Buffer): Promise<void> {
  const [flags, size] = [head.readUInt16LE(3), head.readUInt16LE(5)]
  const isFile = kind === type.file || kind === type.service
  if (size < (isFile ? 32 : 7)) throw damaged()
  if (isFile) return await passOldFile(cursor, kind, head)
  const isData = (flags & hasData) !== 0
  if ((kind === type.main || kind === type.end) && isData) throw damaged()
  if (kind === type.main && (flags & 0x80) !== 0) throw encrypted()
  if (kind === type.main && (flags & 1) !== 0) throw split()
  cursor.at += size + (isData ? head.readUInt32LE(7) : 0)
}

const stored = 0x30
/** Those of its ways to pack that libarchive knows; what is packed in an older one it takes for this. */
const unpackable = [29, 36]
/** Systems whose attributes are those of MS-DOS; all others have the modes of Unix. */
const ofDos = [0, 1, 2]

async function passOldFile(cursor: Cursor, kind: number, head: Buffer): Promise<void> {
  const [flags, size] = [head.readUInt16LE(3), head.readUInt16LE(5)]
  if ((flags & 4) !== 0) throw encrypted()
  if ((flags & 3) !== 0) throw split()
  const wide = (at: number, high: number) =>
    head.readUInt32LE(at) + ((flags & isLarge) === 0 ? 0 : head.readUInt32LE(high) * 2 ** 32)
  const [packed, unpacked] = [wide(7, 32), wide(11, 36)]
  const isStored = head.readUInt8(25) === stored
  if (isStored && packed !== unpacked) throw damaged()
  if (!isStored && !unpackable.includes(head.readUInt8(24))) throw unknown()
  const start = (flags & isLarge) === 0 ? 32 : 40
  const name = head.toString('latin1', start, start + head.readUInt16LE(26))
  cursor.at += size
  const isFolder = (flags & 0xe0) === 0xe0
  if (kind === type.service) checkService(name)
  else {
    const attributes = { isDos: ofDos.includes(head.readUInt8(15)), value: head.readUInt32LE(28) }
    const link = isStored && packed <= longestLink ? await cursor.peek(packed) : null
    checkFile({ size: packed, isFolder, attributes, link })
  }
  cursor.at += packed
}

const longestLink = 4096
