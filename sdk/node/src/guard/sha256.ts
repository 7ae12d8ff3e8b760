/**
 * SHA-256 and its HMAC (FIPS 180-4, RFC 2104). Does not use `crypto.subtle`, because its promises cost more than
 * hashing a short message. With `@noble/hashes`, this file and scrypt would have 5.0 KB (minified, gzip) instead of
 * 1.7. A short message would take 1.9 µs instead of 0.45, and a scrypt of 1 MiB 4.0 ms instead of 4.6.
 */

const primes: number[] = []
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
const fraction = (x: number) => ((x - Math.floor(x)) * 2 ** 32) | 0
const rounds = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
const schedule = new Int32Array(64)
const rotated = (x: number, by: number) => (x >>> by) | (x << (32 - by))

/** Processes one block of 16 words into the state (§6.2.2). */
function compress(state: Int32Array, words: Int32Array, from: number): void {
  const w = schedule as Words
  for (let t = 0; t < 16; t++) w[t] = words[from + t] as number
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15] as number
    const y = w[t - 2] as number
    const low = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3)
    const high = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10)
    w[t] = ((w[t - 16] as number) + low + (w[t - 7] as number) + high) | 0
  }
  const s = state as Words
  let a = s[0]
  let b = s[1]
  let c = s[2]
  let d = s[3]
  let e = s[4]
  let f = s[5]
  let g = s[6]
  let h = s[7]
  for (let t = 0; t < 64; t++) {
    const one = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    const first = (h + one + ((e & f) ^ (~e & g)) + (rounds[t] as number) + (w[t] as number)) | 0
    const other = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + other + ((b & c) ^ (b & d) ^ (c & d))) | 0
  }
  s[0] += a
  s[1] += b
  s[2] += c
  s[3] += d
  s[4] += e
  s[5] += f
  s[6] += g
  s[7] += h
}

/** An array with a known length, so that TypeScript does not type its elements as `undefined`. */
interface Words extends Int32Array {
  0: number
  1: number
  2: number
  3: number
  4: number
  5: number
  6: number
  7: number
}

/** Returns the message padded to whole blocks (§5.1.1). */
function padded(message: Uint8Array): DataView<ArrayBuffer> {
  const size = Math.ceil((message.length + 9) / 64) * 64
  const bytes = new Uint8Array(size)
  bytes.set(message)
  bytes[message.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(size - 8, Math.floor(message.length / 2 ** 29))
  view.setUint32(size - 4, (message.length * 8) >>> 0)
  return view
}

const wordsOf = (view: DataView): Int32Array =>
  Int32Array.from({ length: view.byteLength / 4 }, (_, i) => view.getInt32(i * 4))

export function sha256(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const state = initial.slice()
  const words = wordsOf(padded(message))
  for (let from = 0; from < words.length; from += 16) compress(state, words, from)
  const out = new DataView(new ArrayBuffer(32))
  for (let i = 0; i < 8; i++) out.setInt32(i * 4, state[i] as number)
  return new Uint8Array(out.buffer)
}

/**
 * Returns a function that computes the first word of SHA-256(prefix || u32be(counter)). The input must fit in one
 * block.
 */
export function counterHash(prefix: Uint8Array): (counter: number) => number {
  const view = padded(concatBytes(prefix, new Uint8Array(4)))
  const words = wordsOf(view)
  const state = initial.slice()
  const [first, last] = [prefix.length >> 2, (prefix.length + 3) >> 2]
  return (counter) => {
    view.setUint32(prefix.length, counter)
    words[first] = view.getInt32(first * 4)
    words[last] = view.getInt32(last * 4)
    state.set(initial)
    compress(state, words, 0)
    return state[0] as number
  }
}

export function concatBytes(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(64)
  block.set(key.length > 64 ? sha256(key) : key)
  const [inner, outer] = [block.map((byte) => byte ^ 0x36), block.map((byte) => byte ^ 0x5c)]
  return sha256(concatBytes(outer, sha256(concatBytes(inner, message))))
}
