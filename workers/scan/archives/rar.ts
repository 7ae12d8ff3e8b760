import { damaged, encrypted, split, unknown } from '../refusal.ts'
import type { Source } from '../source.ts'

/**
 * Follows the blocks of a RAR archive and refuses all that is not plain, which programs read in different ways: only files and
 * folders, one after the other, without links, comments and copies of headers, between a first block and a last one.
 */
export async function checkRar(source: Source): Promise<void> {
  const isNew = (await source.read(6, 7))[0] === 1
  const end = await (isNew ? checkNewBlocks(source) : checkOldBlocks(source))
  if (end !== source.size) throw damaged()
}

/** Largest header of a plain file: its fields, and the longest name. */
const longestHeader = 4096 + 256
const folderOfDos = 0x10
const modes = { mask: 0o170000, file: 0o100000, folder: 0o040000 }

/** Refuses an entry that is, for some programs, neither a file nor a folder, or a folder with data. */
function checkPlain(isDos: boolean, attributes: number, isFolder: boolean, size: number): void {
  const kind = isDos ? ((attributes & folderOfDos) !== 0 ? modes.folder : modes.file) : attributes & modes.mask
  if (kind !== modes.file && kind !== modes.folder) throw unknown()
  if ((isFolder || kind === modes.folder) && size > 0) throw damaged()
}

const old = { main: 0x73, file: 0x74, end: 0x7b, stored: 0x30, ofDos: [0, 1, 2] }

/** The blocks of version 4 (CRC, type, flags, size), of which those of files have their data behind them. */
async function checkOldBlocks(source: Source): Promise<number> {
  // The oldest have no block that says that it is the last.
  for (let at = 7; at < source.size; ) {
    const head = Buffer.concat([await source.read(at, at + longestHeader), Buffer.alloc(40)])
    const [type, flags, size] = [head.readUInt8(2), head.readUInt16LE(3), head.readUInt16LE(5)]
    if (size < 7 || (type === old.main) !== (at === 7)) throw damaged()
    if (type === old.end && size <= 20 && (flags & 0x8000) === 0) return at + size
    if (type === old.main) checkOldMain(flags, size)
    at += size + (type === old.main ? 0 : oldFile(head, type, flags, size))
  }
  return source.size
}

function checkOldMain(flags: number, size: number): void {
  if ((flags & 0x80) !== 0) throw encrypted()
  if ((flags & 1) !== 0) throw split()
  if ((flags & 0x8002) !== 0 || size !== 13) throw unknown()
}

/** The size of the data of a file. */
function oldFile(head: Buffer, type: number, flags: number, size: number): number {
  if (type !== old.file) throw unknown()
  if ((flags & 4) !== 0) throw encrypted()
  if ((flags & 3) !== 0) throw split()
  // Comments, and sizes of 64 bits, for a file that is larger than any that may be here.
  if ((flags & 0x108) !== 0 || size < 32 + head.readUInt16LE(26)) throw unknown()
  const [packed, unpacked] = [head.readUInt32LE(7), head.readUInt32LE(11)]
  const isStored = head.readUInt8(25) === old.stored
  if (isStored && packed !== unpacked) throw damaged()
  // What libarchive does not know it takes for these.
  if (!isStored && ![29, 36].includes(head.readUInt8(24))) throw unknown()
  checkPlain(old.ofDos.includes(head.readUInt8(15)), head.readUInt32LE(28), (flags & 0xe0) === 0xe0, packed)
  return packed
}

const block = { main: 1, file: 2, encryption: 4, end: 5 }
/** Records behind the fields of a file that tell of its hash, its times and its owner alone. */
const harmless = [2, 3, 6]

/** The blocks of version 5: CRC, size, type, flags, the sizes of records and of data. */
async function checkNewBlocks(source: Source): Promise<number> {
  for (let at = 8; ; ) {
    const bytes = await source.read(at, at + longestHeader)
    const [length, start] = numberAt(bytes, 4)
    if (start + length > bytes.length) throw damaged()
    const next = reader(bytes.subarray(start, start + length))
    const type = next.number()
    if ((type === block.main) !== (at === 8)) throw damaged()
    at += start + length + checkNewBlock(type, next)
    if (type === block.end) return at
  }
}

/** The size of the data behind a block. */
function checkNewBlock(type: number, next: Reader): number {
  if (type === block.encryption) throw encrypted()
  const flags = next.number()
  if ((flags & 0x18) !== 0) throw split()
  const records = (flags & 1) === 0 ? 0 : next.number()
  const size = (flags & 2) === 0 ? 0 : next.number()
  if (type === block.file) checkFile(next, records, size)
  else if (size > 0 || (type !== block.main && type !== block.end)) throw unknown()
  if (type === block.main) checkMain(next, records)
  return size
}

/** Of records it has at most the one that tells where others are, and tells that there are none. */
function checkMain(next: Reader, records: number): void {
  if ((next.number() & 3) !== 0) throw split()
  if (next.left() !== records) throw damaged()
  if (records === 0) return
  const [size, type, flags, copies] = [next.number(), next.number(), next.number(), next.number()]
  if (type !== 1 || flags !== 1 || copies !== 0 || next.left() !== 0 || size < 3) throw unknown()
}

function checkFile(next: Reader, records: number, size: number): void {
  const own = next.number()
  next.number()
  const attributes = next.number()
  next.skip((own & 2 ? 4 : 0) + (own & 4 ? 4 : 0))
  next.number()
  const isDos = next.number() === 0
  next.skip(next.number())
  if (next.left() !== records) throw damaged()
  while (next.left() > 0) {
    const length = next.number()
    const before = next.left()
    const type = next.number()
    if (type === 1) throw encrypted()
    if (!harmless.includes(type)) throw unknown()
    next.skip(length - (before - next.left()))
  }
  checkPlain(isDos, attributes, (own & 1) !== 0, size)
}

/** Seven bits a byte, the lowest first, of which all but the last byte have the eighth set; and where what follows begins. */
function numberAt(bytes: Buffer, start: number): [value: number, next: number] {
  let value = 0
  for (let at = start, place = 1; place <= 2 ** 49; at++, place *= 128) {
    const byte = bytes[at]
    if (byte === undefined) break
    value += (byte & 0x7f) * place
    if ((byte & 0x80) === 0) return [value, at + 1]
  }
  throw damaged()
}

type Reader = ReturnType<typeof reader>

function reader(bytes: Buffer) {
  let at = 0
  return {
    left: () => bytes.length - at,
    number() {
      const [value, next] = numberAt(bytes, at)
      at = next
      return value
    },
    skip(length: number) {
      at += length
      if (length < 0 || at > bytes.length) throw damaged()
    },
  }
}
