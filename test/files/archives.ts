import { crc32, deflateRawSync, gzipSync } from 'node:zlib'

/** The test file of EICAR, in two halves so that this file is none. */
export const eicar = Buffer.from(`X5O!P%@AP[4\\PZX54(P^)7CC)7}$${'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'}`)

/** What a header of an entry says, where it shall not be the truth. */
interface Said {
  name?: string
  flags?: number
  method?: number
  crc?: number
  size?: number
  packedSize?: number
  extra?: Buffer
  start?: number
}

/** One entry of an archive to be made: its data, and what its two headers say of them. */
export interface Part {
  name: string
  data?: Buffer | string
  method?: 0 | 8
  flags?: number
  local?: Said
  central?: Said
  /** Bytes before its local header, and behind its data. */
  before?: Buffer
  behind?: Buffer
  isUnlisted?: boolean
}

/** What the end of an archive to be made says, where it shall not be the truth. */
export interface Ending {
  beforeDirectory?: Buffer
  comment?: Buffer | string
  count?: number
  directoryStart?: number
  beforeEnd?: (directory: { start: number; size: number; count: number }) => Buffer
}

const local = (said: Required<Omit<Said, 'start'>>) =>
  Buffer.concat([
    u32(0x04034b50),
    u16(20, said.flags, said.method, 0, 0x5a21),
    u32(said.crc, said.packedSize, said.size),
    u16(Buffer.byteLength(said.name), said.extra.length),
    Buffer.from(said.name),
    said.extra,
  ])

const central = (said: Required<Said>) =>
  Buffer.concat([
    u32(0x02014b50),
    u16(20, 20, said.flags, said.method, 0, 0x5a21),
    u32(said.crc, said.packedSize, said.size),
    u16(Buffer.byteLength(said.name), said.extra.length, 0, 0, 0),
    u32(0, said.start),
    Buffer.from(said.name),
    said.extra,
  ])

/** A ZIP archive, byte for byte as it is told. */
export function zip(parts: Part[], ending: Ending = {}): Buffer {
  const body: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  const put = (bytes: Buffer = Buffer.alloc(0)) => {
    body.push(bytes)
    at += bytes.length
  }
  for (const part of parts) {
    const data = Buffer.from(part.data ?? '')
    const method = part.method ?? 8
    const packed = method === 8 ? deflateRawSync(data) : data
    put(part.before)
    const truth = { name: part.name, flags: part.flags ?? 0, method, crc: crc32(data), size: data.length }
    const said = { ...truth, packedSize: packed.length, extra: Buffer.alloc(0), start: at }
    put(local({ ...said, ...part.local }))
    put(packed)
    put(part.behind)
    if (!part.isUnlisted) directory.push(central({ ...said, ...part.central }))
  }
  put(ending.beforeDirectory)
  const where = { start: at, size: Buffer.concat(directory).length, count: directory.length }
  const comment = Buffer.from(ending.comment ?? '')
  const count = ending.count ?? where.count
  return Buffer.concat([
    ...body,
    ...directory,
    ending.beforeEnd?.(where) ?? Buffer.alloc(0),
    u32(0x06054b50),
    u16(0, 0, count, count),
    u32(where.size, ending.directoryStart ?? where.start),
    u16(comment.length),
    comment,
  ])
}

/** A ZIP64 end record and its locator, with the count it shall tell. */
export function wideEnd({ start, size }: { start: number; size: number }, count: number): Buffer {
  const record = [u32(0x06064b50), u64(44), u16(45, 45), u32(0, 0), u64(count, count, size, start)]
  return Buffer.concat([...record, u32(0x07064b50, 0), u64(start + size), u32(1)])
}

/** A data descriptor. */
export const descriptor = (data: Buffer, size = data.length) =>
  Buffer.concat([u32(0x08074b50, crc32(data), deflateRawSync(data).length, size)])

/** The header block of an entry of a tar archive. */
export function tarHeader(name: string, size: number, { flag = '0', magic = 'ustar\x0000' } = {}): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0, 'latin1')
  header.write('0000644\x000000000\x000000000\x00', 100)
  header.write(`${size.toString(8).padStart(11, '0')}\0${'0'.padStart(11, '0')}\0        ${flag}`, 124)
  header.write(magic, 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** A tar archive of regular files. */
export function tar(files: Record<string, Buffer | string>, ends = true): Buffer {
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const data = Buffer.from(content)
    return [tarHeader(name, data.length), data, Buffer.alloc((512 - (data.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(ends ? 1024 : 0)])
}

/** An archive of `ar`, whose names stand in the headers or, as BSD has it, before the contents. */
export function ar(files: Record<string, Buffer | string>, isBsd = false): Buffer {
  const members = Object.entries(files).map(([name, content]) => {
    const data = Buffer.concat([Buffer.from(isBsd ? name : ''), Buffer.from(content)])
    const told = isBsd ? `#1/${name.length}` : `${name}/`
    const header = `${told.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'644'.padEnd(8)}`
    return Buffer.concat([
      Buffer.from(`${header}${String(data.length).padEnd(10)}\`\n`),
      data,
      Buffer.alloc(data.length % 2, 10),
    ])
  })
  return Buffer.concat([Buffer.from('!<arch>\n'), ...members])
}

export const gz = (data: Buffer | string) => gzipSync(data)

export const u16 = (...values: number[]) =>
  Buffer.concat(values.map((value) => bytesOf(2, (b) => b.writeUInt16LE(value))))
export const u32 = (...values: number[]) =>
  Buffer.concat(values.map((value) => bytesOf(4, (b) => b.writeUInt32LE(value >>> 0))))
export const u64 = (...values: number[]) =>
  Buffer.concat(values.map((value) => bytesOf(8, (b) => b.writeBigUInt64LE(BigInt(value)))))

function bytesOf(length: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(length)
  write(bytes)
  return bytes
}
