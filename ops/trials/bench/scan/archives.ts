import { crc32, deflateRawSync } from 'node:zlib'

export function buildTar(files: ReadonlyMap<string, Buffer>): Buffer {
  const blocks = [...files].flatMap(([name, data]) => {
    const header = Buffer.alloc(512)
    header.write(name, 0, 100)
    header.write('0000644\x000000000\x000000000\x00', 100)
    header.write(`${data.length.toString(8).padStart(11, '0')}\x00${'0'.repeat(11)}\x00        0`, 124)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\x00 `, 148)
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

export function buildZip(files: ReadonlyMap<string, Buffer>): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let start = 0
  for (const [name, data] of files) {
    const packed = deflateRawSync(data)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt16LE(0x5a21, 8)
    facts.writeUInt32LE(crc32(data), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(data.length, 18)
    facts.writeUInt16LE(Buffer.byteLength(name), 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(start, 10)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name), packed])
    bodies.push(local)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), facts, rest, Buffer.from(name))
    start += local.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.size, 4)
  end.writeUInt16LE(files.size, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(start, 12)
  return Buffer.concat([...bodies, list, Buffer.from('PK\x05\x06'), end])
}
