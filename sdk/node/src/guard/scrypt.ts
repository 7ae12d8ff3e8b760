/** scrypt (RFC 7914) in plain JavaScript. */
import { concatBytes, hmac } from './sha256.ts'

export interface ScryptCost {
  n: number
  r: number
  p: number
  keyLength: number
}

/** Computes PBKDF2-HMAC-SHA-256 with one iteration (RFC 8018 §5.2). */
function stretch(password: Uint8Array, salt: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(length)
  for (let block = 1, at = 0; at < length; block++, at += 32) {
    const index = Uint8Array.of(block >>> 24, block >>> 16, block >>> 8, block)
    out.set(hmac(password, concatBytes(salt, index)).subarray(0, Math.min(32, length - at)), at)
  }
  return out
}

const rotated = (word: number, by: number) => (word << by) | (word >>> (32 - by))

/**
 * Salsa20/8 (§3) of 16 words of `b` combined with `x`. Writes the result to `x`. Each word is a variable, because an
 * array is ten times slower.
 */
function salsa(x: Int32Array, b: Int32Array, from: number): void {
  let x0 = (x[0] as number) ^ (b[from + 0] as number)
  let x1 = (x[1] as number) ^ (b[from + 1] as number)
  let x2 = (x[2] as number) ^ (b[from + 2] as number)
  let x3 = (x[3] as number) ^ (b[from + 3] as number)
  let x4 = (x[4] as number) ^ (b[from + 4] as number)
  let x5 = (x[5] as number) ^ (b[from + 5] as number)
  let x6 = (x[6] as number) ^ (b[from + 6] as number)
  let x7 = (x[7] as number) ^ (b[from + 7] as number)
  let x8 = (x[8] as number) ^ (b[from + 8] as number)
  let x9 = (x[9] as number) ^ (b[from + 9] as number)
  let x10 = (x[10] as number) ^ (b[from + 10] as number)
  let x11 = (x[11] as number) ^ (b[from + 11] as number)
  let x12 = (x[12] as number) ^ (b[from + 12] as number)
  let x13 = (x[13] as number) ^ (b[from + 13] as number)
  let x14 = (x[14] as number) ^ (b[from + 14] as number)
  let x15 = (x[15] as number) ^ (b[from + 15] as number)
  x[0] = x0
  x[1] = x1
  x[2] = x2
  x[3] = x3
  x[4] = x4
  x[5] = x5
  x[6] = x6
  x[7] = x7
  x[8] = x8
  x[9] = x9
  x[10] = x10
  x[11] = x11
  x[12] = x12
  x[13] = x13
  x[14] = x14
  x[15] = x15
  for (let round = 0; round < 4; round++) {
    x4 ^= rotated((x0 + x12) | 0, 7)
    x8 ^= rotated((x4 + x0) | 0, 9)
    x12 ^= rotated((x8 + x4) | 0, 13)
    x0 ^= rotated((x12 + x8) | 0, 18)
    x9 ^= rotated((x5 + x1) | 0, 7)
    x13 ^= rotated((x9 + x5) | 0, 9)
    x1 ^= rotated((x13 + x9) | 0, 13)
    x5 ^= rotated((x1 + x13) | 0, 18)
    x14 ^= rotated((x10 + x6) | 0, 7)
    x2 ^= rotated((x14 + x10) | 0, 9)
    x6 ^= rotated((x2 + x14) | 0, 13)
    x10 ^= rotated((x6 + x2) | 0, 18)
    x3 ^= rotated((x15 + x11) | 0, 7)
    x7 ^= rotated((x3 + x15) | 0, 9)
    x11 ^= rotated((x7 + x3) | 0, 13)
    x15 ^= rotated((x11 + x7) | 0, 18)
    x1 ^= rotated((x0 + x3) | 0, 7)
    x2 ^= rotated((x1 + x0) | 0, 9)
    x3 ^= rotated((x2 + x1) | 0, 13)
    x0 ^= rotated((x3 + x2) | 0, 18)
    x6 ^= rotated((x5 + x4) | 0, 7)
    x7 ^= rotated((x6 + x5) | 0, 9)
    x4 ^= rotated((x7 + x6) | 0, 13)
    x5 ^= rotated((x4 + x7) | 0, 18)
    x11 ^= rotated((x10 + x9) | 0, 7)
    x8 ^= rotated((x11 + x10) | 0, 9)
    x9 ^= rotated((x8 + x11) | 0, 13)
    x10 ^= rotated((x9 + x8) | 0, 18)
    x12 ^= rotated((x15 + x14) | 0, 7)
    x13 ^= rotated((x12 + x15) | 0, 9)
    x14 ^= rotated((x13 + x12) | 0, 13)
    x15 ^= rotated((x14 + x13) | 0, 18)
  }
  x[0] = ((x[0] as number) + x0) | 0
  x[1] = ((x[1] as number) + x1) | 0
  x[2] = ((x[2] as number) + x2) | 0
  x[3] = ((x[3] as number) + x3) | 0
  x[4] = ((x[4] as number) + x4) | 0
  x[5] = ((x[5] as number) + x5) | 0
  x[6] = ((x[6] as number) + x6) | 0
  x[7] = ((x[7] as number) + x7) | 0
  x[8] = ((x[8] as number) + x8) | 0
  x[9] = ((x[9] as number) + x9) | 0
  x[10] = ((x[10] as number) + x10) | 0
  x[11] = ((x[11] as number) + x11) | 0
  x[12] = ((x[12] as number) + x12) | 0
  x[13] = ((x[13] as number) + x13) | 0
  x[14] = ((x[14] as number) + x14) | 0
  x[15] = ((x[15] as number) + x15) | 0
}

/** Computes scryptBlockMix (§4) from `b` to `y`. */
function blockMix(b: Int32Array, y: Int32Array, r: number): void {
  const x = b.slice((2 * r - 1) * 16)
  for (let i = 0; i < 2 * r; i++) {
    salsa(x, b, i * 16)
    y.set(x, ((i & 1) * r + (i >> 1)) * 16)
  }
}

/** Computes scryptROMix (§5) in place. */
function romMix(b: Int32Array, n: number, r: number): void {
  const words = 32 * r
  const kept = new Int32Array(n * words)
  const y = new Int32Array(words)
  for (let i = 0; i < n; i++) {
    kept.set(b, i * words)
    blockMix(b, y, r)
    b.set(y)
  }
  for (let i = 0; i < n; i++) {
    const from = ((b[(2 * r - 1) * 16] as number) & (n - 1)) * words
    for (let k = 0; k < words; k++) b[k] = (b[k] as number) ^ (kept[from + k] as number)
    blockMix(b, y, r)
    b.set(y)
  }
}

export function scrypt(
  password: Uint8Array,
  salt: Uint8Array,
  { n, r, p, keyLength }: ScryptCost,
): Uint8Array<ArrayBuffer> {
  const size = 128 * r
  const all = stretch(password, salt, p * size)
  const view = new DataView(all.buffer)
  for (let block = 0; block < p; block++) {
    const words = Int32Array.from({ length: size / 4 }, (_, i) => view.getInt32(block * size + i * 4, true))
    romMix(words, n, r)
    for (const [i, word] of words.entries()) view.setInt32(block * size + i * 4, word, true)
  }
  return stretch(password, all, keyLength)
}
