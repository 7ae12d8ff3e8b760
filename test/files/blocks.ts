import { crc32 } from 'node:zlib'
import { u16, u32 } from './archives.ts'

const latin = (text: string) => Buffer.from(text, 'latin1')
const filled = (bytes: Buffer, unit: number) =>
  Buffer.concat([bytes, Buffer.alloc((unit - (bytes.length % unit)) % unit)])

let lastInode = 0

/** One entry of cpio (SVR4, `newc`), which is no link to another one. */
export function newc(name: string, data: Buffer | string = '', mode = 0o100644, inode = ++lastInode): Buffer {
  const bytes = Buffer.from(data)
  const numbers = [inode, mode, 0, 0, 1, 0, bytes.length, 0, 0, 0, 0, name.length + 1, 0]
  const head = `070701${numbers.map((number) => number.toString(16).padStart(8, '0')).join('')}`
  return Buffer.concat([filled(latin(`${head}${name}\0`), 4), filled(bytes, 4)])
}

/** What the entries of cpio end with. */
export const newcEnd: Buffer = newc('TRAILER!!!', '', 0, 0)

/** One entry of the oldest cpio, which has numbers in the order of the machine. */
export function oldCpio(name: string, data: Buffer | string = '', isBig = false): Buffer {
  const bytes = Buffer.from(data)
  const head = u16(
    0o070707,
    0,
    ++lastInode,
    0o100644,
    0,
    0,
    1,
    0,
    0,
    0,
    name.length + 1,
    bytes.length >> 16,
    bytes.length & 0xffff,
  )
  return Buffer.concat([isBig ? head.swap16() : head, filled(latin(`${name}\0`), 2), filled(bytes, 2)])
}

/** A block of RAR (version 4), with the sum of its fields. */
export function rarBlock(type: number, flags: number, fields: Buffer = Buffer.alloc(0)): Buffer {
  const rest = Buffer.concat([Buffer.from([type]), u16(flags, 7 + fields.length), fields])
  return Buffer.concat([u16(crc32(rest) & 0xffff), rest])
}

/** What the header of a file in a RAR archive says, where it shall not be the truth. */
interface Said {
  type?: number
  flags?: number
  mode?: number
  system?: number
  version?: number
  method?: number
  size?: number
}

/** A file in a RAR archive (version 4). */
export function rarFile(name: string, data: Buffer | string, said: Said = {}): Buffer {
  const bytes = Buffer.from(data)
  const { type = 0x74, flags = 0, mode = 0o100644, system = 3, version = 20, method = 0x30, size = bytes.length } = said
  const fields = [u32(bytes.length, size), Buffer.from([system]), u32(crc32(bytes), 0x5a210000)]
  const more = [Buffer.from([version, method]), u16(name.length), u32(mode), latin(name)]
  return Buffer.concat([rarBlock(type, 0x8000 | flags, Buffer.concat([...fields, ...more])), bytes])
}

const rarMain = rarBlock(0x73, 0, Buffer.alloc(6))
/** What a RAR archive (version 4) ends with. */
export const rarEnd: Buffer = rarBlock(0x7b, 0x4000)

/** A RAR archive (version 4) of blocks. */
export const rarOf = (blocks: Buffer[], main: Buffer = rarMain): Buffer =>
  Buffer.concat([latin('Rar!\x1a\x07\0'), main, ...blocks, rarEnd])

const number = (value: number): number[] => (value < 128 ? [value] : [(value & 0x7f) | 0x80, ...number(value >> 7)])

/** A block of RAR (version 5), with the sum of its header: numbers, and bytes as they are. */
export function newRarBlock(...parts: (number | Buffer)[]): Buffer {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from(number(part)) : part)))
  const rest = Buffer.concat([Buffer.from(number(bytes.length)), bytes])
  return Buffer.concat([u32(crc32(rest)), rest])
}

/** What the header of a file in a RAR archive of version 5 says, where it shall not be the truth. */
interface NewSaid {
  type?: number
  own?: number
  mode?: number
  records?: Buffer
  slack?: Buffer
  /** The way it is packed in, 0 where it is stored. */
  method?: number
}

/** A file in a RAR archive (version 5). */
export function newRarFile(name: string, data: Buffer | string, said: NewSaid = {}): Buffer {
  const bytes = Buffer.from(data)
  const { type = 2, own = 0, mode = 0o100644, records = Buffer.alloc(0), slack = Buffer.alloc(0), method = 0 } = said
  const lead = records.length > 0 ? [type, 3, records.length] : [type, 2]
  const fields = [...lead, bytes.length, own, bytes.length, mode, method << 7, 1, name.length]
  return Buffer.concat([newRarBlock(...fields, latin(name), slack, records), bytes])
}

/** A block of copies of headers, as tools that open archives quickly take them: how far before the block each stands, and its bytes. */
export function quickOpen(copies: [number, Buffer][], unpacked?: number): Buffer {
  const records = copies.map(([back, header]) => newRarBlock(0, back, header.length, header))
  const [data, name] = [Buffer.concat(records), 'QO']
  return Buffer.concat([
    newRarBlock(3, 2, data.length, 0, unpacked ?? data.length, 0, 0, 1, name.length, latin(name)),
    data,
  ])
}

/** The first block of an archive whose copies of headers are told to stand at a place, counted from itself. */
export function newRarLocator(place: number): Buffer {
  // Padded, so that the block is as long for every place.
  const padded = [(place & 0x7f) | 0x80, ((place >> 7) & 0x7f) | 0x80, place >> 14]
  const locator = Buffer.from([5, 1, 1, ...padded])
  return newRarBlock(1, 1, locator.length, 0, locator)
}

const newRarMain = newRarBlock(1, 0, 0)
/** What a RAR archive (version 5) ends with. */
export const newRarEnd: Buffer = newRarBlock(5, 0, 0)

/** A RAR archive (version 5) of blocks. */
export const newRarOf = (blocks: Buffer[], main: Buffer = newRarMain): Buffer =>
  Buffer.concat([latin('Rar!\x1a\x07\x01\0'), main, ...blocks, newRarEnd])
