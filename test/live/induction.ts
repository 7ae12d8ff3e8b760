import { randomBytes, randomInt } from 'node:crypto'

/** The first datagram of a caller (draft-sharabayko-srt-01 §4.3.1.1): header, version 4, extension 2, induction. */
export function induction(): Buffer {
  const bytes = Buffer.alloc(64)
  bytes.writeUInt32BE(0x80000000, 0)
  for (const [at, value] of [
    [16, 4],
    [20, 2],
    [24, randomInt(2 ** 31)],
    [28, 1500],
    [32, 8192],
    [36, 1],
  ] as const)
    bytes.writeUInt32BE(value, at)
  randomBytes(4).copy(bytes, 40)
  bytes.writeUInt8(127, 48)
  return bytes
}
