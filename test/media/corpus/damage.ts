/** Ways to damage bytes, and boxes of MP4 (ISO/IEC 14496-12 §4.2: 32-bit size, four letters, content). */

/** Where a box begins in bytes, found by its letters. */
export function boxAt(bytes: Buffer, name: string, from = 0): number {
  const at = bytes.indexOf(name, from, 'latin1') - 4
  if (at < 0) throw new Error(`There is no box ${name}.`)
  return at
}

/** A box with some content. */
export function box(name: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, body])
}

/** A box with its head. */
export function boxOf(bytes: Buffer, name: string): Buffer {
  const at = boxAt(bytes, name)
  return bytes.subarray(at, at + bytes.readUInt32BE(at))
}

/** An MP4 with its index at the end, whose track is told of `times` times. */
export function repeatTrack(bytes: Buffer, times: number): Buffer {
  const moov = boxOf(bytes, 'moov')
  const track = boxOf(moov, 'trak')
  const rest = Buffer.concat([boxOf(moov, 'mvhd'), ...Array.from({ length: times }, () => track)])
  return Buffer.concat([bytes.subarray(0, boxAt(bytes, 'moov')), box('moov', rest)])
}

/** Numbers between 0 and 1 that are the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const edges = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]

const flip = (bytes: Buffer, byte: number, bit: number) => {
  bytes[byte] = (bytes[byte] ?? 0) ^ (1 << bit)
}

/** One mutation of bytes, which are not changed themselves. */
type Mutation = (bytes: Buffer, at: (below: number) => number, other: Buffer) => Buffer

const mutations: Mutation[] = [
  function flipBits(bytes, at) {
    const made = Buffer.from(bytes)
    for (let i = at(16) + 1; i > 0; i--) flip(made, at(made.length), at(8))
    return made
  },
  function setNumber(bytes, at) {
    const made = Buffer.from(bytes)
    for (let i = at(4) + 1; i > 0 && made.length > 4; i--)
      made.writeUInt32BE(edges[at(edges.length)] ?? 0, at(made.length - 4))
    return made
  },
  function setHeadNumber(bytes, at) {
    const made = Buffer.from(bytes)
    const head = Math.min(made.length, 2_000)
    for (let i = at(3) + 1; i > 0 && head > 4; i--) made.writeUInt32BE(edges[at(edges.length)] ?? 0, at(head - 4))
    return made
  },
  function cut(bytes, at) {
    return bytes.subarray(0, at(bytes.length))
  },
  function leaveOut(bytes, at) {
    const from = at(bytes.length)
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + at(2_000) + 1)])
  },
  function repeat(bytes, at) {
    const from = at(bytes.length)
    const piece = bytes.subarray(from, from + at(1_000) + 1)
    return Buffer.concat([bytes.subarray(0, from), piece, piece, piece, bytes.subarray(from)])
  },
  function blank(bytes, at) {
    const made = Buffer.from(bytes)
    const from = at(made.length)
    return made.fill(at(2) * 255, from, Math.min(made.length, from + at(3_000) + 1))
  },
  function splice(bytes, at, other) {
    return Buffer.concat([bytes.subarray(0, at(bytes.length)), other.subarray(at(other.length))])
  },
]

/** Bytes with one to three mutations, the same for the same seed. */
export function mutate(bytes: Buffer, other: Buffer, seed: number): Buffer {
  const random = randomOf(seed)
  const at = (below: number) => Math.floor(random() * below)
  let made = bytes
  for (let i = at(3) + 1; i > 0; i--) made = mutations[at(mutations.length)]?.(made, at, other) ?? made
  return made
}
