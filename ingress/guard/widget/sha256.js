/**
 * SHA-256 (FIPS 180-4) in JavaScript. `crypto.subtle` does not exist on web pages without TLS, and is ten times slower
 * per short message.
 */

const primes = []
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n)
const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0
const rounds = Int32Array.from(primes, (p) => fraction(Math.cbrt(p)))
const initial = Int32Array.from(primes.slice(0, 8), (p) => fraction(Math.sqrt(p)))
const w = new Int32Array(64)

/**
 * Processes one block. `words` contains its 16 big-endian words. `state` contains the eight words that are changed
 * (§6.2.2).
 */
function compress(state, words) {
  for (let t = 0; t < 16; t++) w[t] = words[t]
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15]
    const y = w[t - 2]
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[t] = (w[t - 16] + s0 + w[t - 7] + s1) | 0
  }
  let [a, b, c, d, e, f, g, h] = state
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + rounds[t] + w[t]) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0] += a
  state[1] += b
  state[2] += c
  state[3] += d
  state[4] += e
  state[5] += f
  state[6] += g
  state[7] += h
}

function blocksOf(message) {
  const size = Math.ceil((message.length + 9) / 64) * 64
  const view = new DataView(new ArrayBuffer(size))
  for (let i = 0; i < message.length; i++) view.setUint8(i, message[i])
  view.setUint8(message.length, 0x80)
  view.setUint32(size - 4, message.length * 8)
  return Int32Array.from({ length: size / 4 }, (_, i) => view.getInt32(i * 4))
}

export function sha256(message) {
  const state = initial.slice()
  const words = blocksOf(message)
  for (let i = 0; i < words.length; i += 16) compress(state, words.subarray(i, i + 16))
  const view = new DataView(new ArrayBuffer(32))
  for (let i = 0; i < 8; i++) view.setInt32(i * 4, state[i])
  return new Uint8Array(view.buffer)
}

/**
 * Returns the first counter in `[from, from + count)` for which SHA-256(nonce || u16be(index) || u32be(counter)) begins
 * with `bits` zero bits (up to 32). Returns undefined if there is none. The message is one block, because the nonce has
 * up to 49 bytes.
 */
export function findCounter({ nonce, bits }, index, from, count) {
  const message = new Uint8Array(nonce.length + 6)
  message.set(nonce)
  message.set([index >>> 8, index & 255], nonce.length)
  const words = blocksOf(message)
  const at = nonce.length + 2
  const state = new Int32Array(8)
  for (let counter = from; counter < from + count; counter++) {
    for (let i = 0; i < 4; i++) {
      const shift = 24 - ((at + i) % 4) * 8
      const word = (at + i) >> 2
      words[word] = (words[word] & ~(255 << shift)) | (((counter >>> (24 - i * 8)) & 255) << shift)
    }
    state.set(initial)
    compress(state, words)
    if (Math.clz32(state[0]) >= bits) return counter
  }
  return undefined
}
