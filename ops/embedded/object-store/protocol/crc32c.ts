// biome-ignore-all lint/style/noNonNullAssertion: every index is within its table, and a check would cost half the speed.

/** CRC-32C (RFC 3720, appendix B.4) with "slicing by 8": eight tables, eight bytes per step. */
const tables = makeTables()

/** Continues a CRC-32C over more bytes. `value` is the result for the previous bytes. */
export function crc32c(data: Buffer, value = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables
  let crc = ~value
  let at = 0
  for (const end = data.length - 7; at < end; at += 8) {
    crc ^= (data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24)) >>> 0
    crc =
      t7[crc & 255]! ^
      t6[(crc >>> 8) & 255]! ^
      t5[(crc >>> 16) & 255]! ^
      t4[crc >>> 24]! ^
      t3[data[at + 4]!]! ^
      t2[data[at + 5]!]! ^
      t1[data[at + 6]!]! ^
      t0[data[at + 7]!]!
  }
  for (; at < data.length; at++) crc = (crc >>> 8) ^ t0[(crc ^ data[at]!) & 255]!
  return ~crc >>> 0
}

type Tables = readonly [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array]

function makeTables(): Tables {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
    return crc
  })
  const next = (table: Int32Array) => table.map((crc) => (crc >>> 8) ^ first[crc & 255]!)
  const list = [first]
  while (list.length < 8) list.push(next(list.at(-1)!))
  return list as unknown as Tables
}
