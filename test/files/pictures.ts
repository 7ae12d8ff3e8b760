import { crc32, deflateSync } from 'node:zlib'

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const bytes = Buffer.alloc(body.length + 8)
  bytes.writeUInt32BE(data.length)
  body.copy(bytes, 4)
  bytes.writeUInt32BE(crc32(body), body.length + 4)
  return bytes
}

/** A PNG of one grey pixel. */
export const png = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
  chunk('IDAT', deflateSync(Buffer.from([0, 128]))),
  chunk('IEND', Buffer.alloc(0)),
])

/** The markers of a JPEG, with a thumbnail in its header and a stuffed byte in its data. */
export const jpeg = Buffer.from(
  'ffd8 ffe1000c 457869660000 ffd8ffd9 ffda0008 010100003f00 1122ff0033ffd144 ffd9'.replaceAll(' ', ''),
  'hex',
)

/** A GIF of one pixel. */
export const gif = Buffer.from('47494638396101000100800000000000ffffff2c00000000010001000002024401003b', 'hex')

/** A PDF with something between its header and its end, and data in a stream if any. */
export function pdf(body: string, data?: Buffer): Buffer {
  const stream = data ? [data, Buffer.from('\nendstream endobj\n')] : []
  return Buffer.concat([
    Buffer.from(`%PDF-1.5\n%\xe2\xe3\n${body}`, 'latin1'),
    ...stream,
    Buffer.from('\ntrailer <</Root 1 0 R>>\nstartxref\n9\n%%EOF\n'),
  ])
}

/** A compound file whose directory has the given names under its root; `circle` makes its directory endless. */
export function ole(names: string[], { circle = false, classId = '' } = {}): Buffer {
  const bytes = Buffer.alloc(512 * 5, 0)
  bytes.write('d0cf11e0a1b11ae1', 'hex')
  bytes.writeUInt16LE(9, 30)
  bytes.writeUInt32LE(1, 44)
  bytes.writeUInt32LE(1, 48)
  bytes.writeUInt32LE(0xfffffffe, 60)
  bytes.writeUInt32LE(0xfffffffe, 68)
  bytes.fill(0xff, 76, 512)
  bytes.writeUInt32LE(0, 76)
  bytes.fill(0xff, 512, 1024)
  const chain = [0xfffffffd, 2, circle ? 1 : 0xfffffffe]
  for (const [index, next] of chain.entries()) bytes.writeUInt32LE(next, 512 + index * 4)
  for (const [index, name] of ['Root Entry', ...names].entries()) {
    const at = 1024 + index * 128
    bytes.write(name, at, 'utf16le')
    bytes.writeUInt16LE(name.length * 2 + 2, at + 64)
    bytes.writeUInt8(index === 0 ? 5 : 2, at + 66)
  }
  bytes.write(classId, 1024 + 80, 'hex')
  return bytes
}
