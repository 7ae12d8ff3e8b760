import { crc32, deflateRawSync } from 'node:zlib'

interface Content {
  name: string
  bytes: Buffer | string
  /** A false value in the archive. */
  crc?: number
  method?: 0 | 8
  flags?: number
}

/** Written after an archive’s files in addition to its directory. */
export interface Ending {
  comment?: string
  /** Like in an archive over 4 GiB. */
  zip64?: boolean
}

/** Returns a zip archive (APPNOTE.TXT 4.3) of these files, as publishers’ programs write them. */
export function zipped(contents: readonly Content[], ending: Ending = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, bytes, method = 8, flags = 0, ...told } of contents) {
    const plain = Buffer.from(bytes)
    const packed = method === 8 ? deflateRawSync(plain) : plain
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(flags, 2)
    facts.writeUInt16LE(method, 4)
    facts.writeUInt32LE(told.crc ?? crc32(plain), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(plain.length, 18)
    facts.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), facts, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0'), facts, place, Buffer.from(name)]))
    parts.push(local)
    at += local.length
  }
  const list = Buffer.concat(directory)
  return Buffer.concat([...parts, list, endOf({ count: contents.length, length: list.length, at }, ending)])
}

function endOf(list: { count: number; length: number; at: number }, { comment = '', zip64 = false }: Ending): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(zip64 ? 0xffff : list.count, 8)
  end.writeUInt16LE(zip64 ? 0xffff : list.count, 10)
  end.writeUInt32LE(zip64 ? 0xffffffff : list.length, 12)
  end.writeUInt32LE(zip64 ? 0xffffffff : list.at, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...(zip64 ? [end64Of(list)] : []), end, Buffer.from(comment, 'latin1')])
}

function end64Of({ count, length, at }: { count: number; length: number; at: number }): Buffer {
  const record = Buffer.alloc(76)
  record.write('PK\u0006\u0006', 'latin1')
  record.writeBigUInt64LE(44n, 4)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(length), 40)
  record.writeBigUInt64LE(BigInt(at), 48)
  record.write('PK\u0006\u0007', 56, 'latin1')
  record.writeBigUInt64LE(BigInt(at + length), 64)
  record.writeUInt32LE(1, 72)
  return record
}
