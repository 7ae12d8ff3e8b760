// biome-ignore-all lint/style/noNonNullAssertion: every index is within its table, and a check would cost half the speed.

/**
 * CRC-64/NVME (NVM Express, "64b CRC"; the CRC RevEng catalogue) with "slicing by 8". Each table has two halves of 32
 * bits.
 */
const polynomial = 0x9a6c9329ac4bc9b5n
const [low, high] = makeTables()

/** Continues a CRC-64/NVME over more bytes. `value` is the result for the previous bytes. */
export function crc64nvme(data: Buffer, value = 0n): bigint {
  const [l0, l1, l2, l3, l4, l5, l6, l7] = low
  const [h0, h1, h2, h3, h4, h5, h6, h7] = high
  let lo = ~Number(BigInt.asIntN(32, value))
  let hi = ~Number(BigInt.asIntN(32, value >> 32n))
  let at = 0
  for (const end = data.length - 7; at < end; at += 8) {
    const x = lo ^ (data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24))
    const y = hi ^ (data[at + 4]! | (data[at + 5]! << 8) | (data[at + 6]! << 16) | (data[at + 7]! << 24))
    const a = x & 255
    const b = (x >>> 8) & 255
    const c = (x >>> 16) & 255
    const d = x >>> 24
    const e = y & 255
    const f = (y >>> 8) & 255
    const g = (y >>> 16) & 255
    const h = y >>> 24
    lo = l7[a]! ^ l6[b]! ^ l5[c]! ^ l4[d]! ^ l3[e]! ^ l2[f]! ^ l1[g]! ^ l0[h]!
    hi = h7[a]! ^ h6[b]! ^ h5[c]! ^ h4[d]! ^ h3[e]! ^ h2[f]! ^ h1[g]! ^ h0[h]!
  }
  for (; at < data.length; at++) {
    const index = (lo ^ data[at]!) & 255
    lo = ((lo >>> 8) | (hi << 24)) ^ l0[index]!
    hi = (hi >>> 8) ^ h0[index]!
  }
  return (BigInt(~hi >>> 0) << 32n) | BigInt(~lo >>> 0)
}

/** Returns the CRC of two concatenated byte sequences, from both CRCs and the length of the second sequence. */
export function combine(first: bigint, second: bigint, length: number): bigint {
  return multiply(first, shiftOf(length)) ^ second
}

let known = { length: 0, shift: 0n }

/** Returns x^(8 · length) modulo the polynomial, by squaring. */
function shiftOf(length: number): bigint {
  if (known.length === length && length > 0) return known.shift
  let shift = one
  let power = one >> 8n
  for (let left = length; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = multiply(shift, power)
    power = multiply(power, power)
  }
  known = { length, shift }
  return shift
}

/** x^0. Polynomials have their lowest power in the highest bit, as in a reflected CRC. */
const one = 1n << 63n

function multiply(a: bigint, b: bigint): bigint {
  let product = 0n
  let shifted = b
  for (let bit = one; bit > 0n; bit >>= 1n) {
    if (a & bit) product ^= shifted
    shifted = step(shifted)
  }
  return product
}

function step(value: bigint): bigint {
  return value & 1n ? (value >> 1n) ^ polynomial : value >> 1n
}

type Halves = readonly [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array]

function makeTables(): readonly [Halves, Halves] {
  const table = Array.from({ length: 256 }, (_, byte) => {
    let value = BigInt(byte)
    for (let bit = 0; bit < 8; bit++) value = step(value)
    return value
  })
  const tables = [table]
  while (tables.length < 8) tables.push(tables.at(-1)!.map((value) => (value >> 8n) ^ table[Number(value & 255n)]!))
  const half = (shift: bigint) =>
    tables.map((values) => Int32Array.from(values, (value) => Number(BigInt.asIntN(32, value >> shift))))
  return [half(0n), half(32n)] as unknown as readonly [Halves, Halves]
}
