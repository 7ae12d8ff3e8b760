import { crc32, deflateRawSync } from 'node:zlib'

/** A file of an archive that a test makes. */
interface Content {
  name: string
  bytes: Buffer | string
  /** What the archive says of it in place of the truth. */
  crc?: number
  method?: 0 | 8
  flags?: number
}

/** A zip archive (APPNOTE.TXT 4.3) of these files, as publishers' programs write them. */
export function zipped(contents: readonly Content[]): Buffer {
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
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(contents.length, 8)
  end.writeUInt16LE(contents.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, list, end])
}
