/** AMF0 value of an RTMP command. Objects keep only fields that are strings, numbers or booleans. */
export type Amf = string | number | boolean | null | { [name: string]: string | number | boolean | null }

/** Maximum nesting depth of objects. Valid RTMP responses do not exceed this depth. */
const mostDepth = 4

const keyOf = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}

/** Encodes values one after another (AMF 0, section 2). */
export const encodeAmf = (...values: readonly Amf[]): Buffer => Buffer.concat(values.map(encode))

function encode(value: Amf): Buffer {
  if (value === null) return Buffer.from([5])
  if (typeof value === 'boolean') return Buffer.from([1, Number(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9)
    bytes.writeDoubleBE(value, 1)
    return bytes
  }
  if (typeof value === 'string') return Buffer.concat([Buffer.from([2]), keyOf(value)])
  const fields = Object.entries(value).flatMap(([name, one]) => [keyOf(name), encode(one)])
  return Buffer.concat([Buffer.from([3]), ...fields, Buffer.from([0, 0, 9])])
}

/** Decodes the values of a command. Throws for invalid bytes. Stops at types that commands do not use. */
export function decodeAmf(bytes: Buffer): Amf[] {
  const reader = new Reader(bytes)
  const values: Amf[] = []
  while (!reader.isDone) values.push(reader.value(0))
  return values
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length
  }

  value(depth: number): Amf {
    const kind = this.#take(1)[0]
    if (kind === 0) return this.#take(8).readDoubleBE()
    if (kind === 1) return this.#take(1)[0] !== 0
    if (kind === 2) return this.#text()
    if (kind === 3) return this.#fields(depth)
    if (kind === 8) {
      this.#take(4)
      return this.#fields(depth)
    }
    if (kind === 5 || kind === 6) return null
    this.#at = this.#bytes.length
    return null
  }

  #fields(depth: number): Amf {
    if (depth >= mostDepth) throw new RangeError('An AMF object is nested too deeply.')
    const found: [string, string | number | boolean | null][] = []
    while (!this.isDone) {
      const name = this.#text()
      if (name === '' && this.#bytes[this.#at] === 9) {
        this.#at++
        break
      }
      const value = this.value(depth + 1)
      if (typeof value !== 'object' || value === null) found.push([name, value])
    }
    return Object.fromEntries(found)
  }

  #text(): string {
    return this.#take(this.#take(2).readUInt16BE()).toString('utf8')
  }

  #take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new RangeError('An AMF value is incomplete.')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }
}
