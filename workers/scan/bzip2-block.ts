import type { Bits } from './bzip2-bits.ts'
import { malformed } from './refusal.ts'

const damaged = () => malformed('The packed data are damaged.')
const longestCode = 20
const groupSize = 50

/** A prefix code: for each length the first code, the first symbol, and the limit. */
interface Code {
  limit: Int32Array
  base: Int32Array
  symbols: Uint16Array
  shortest: number
}

/** Unpacks one block of bzip2, behind its mark and its checksum, into bytes whose runs are still counted; `links` has room for the largest. */
export function readBlock(bits: Bits, links: Uint32Array): Uint8Array {
  if (bits.take(1) === 1) throw damaged()
  const origin = bits.take(24)
  const used = readUsed(bits)
  const codes = readCodes(bits, used.length + 2)
  const length = readMoves(bits, codes, used, links)
  if (origin >= length) throw damaged()
  return sorted(links, length, origin)
}

function readUsed(bits: Bits): Uint8Array {
  const groups = bits.take(16)
  const used: number[] = []
  for (let group = 0; group < 16; group++) {
    if ((groups & (0x8000 >> group)) === 0) continue
    const members = bits.take(16)
    for (let member = 0; member < 16; member++) if (members & (0x8000 >> member)) used.push(group * 16 + member)
  }
  if (used.length === 0) throw damaged()
  return Uint8Array.from(used)
}

interface Codes {
  codes: Code[]
  selectors: Uint8Array
}

function readCodes(bits: Bits, symbols: number): Codes {
  const count = bits.take(3)
  const selectorCount = bits.take(15)
  if (count < 2 || count > 6 || selectorCount === 0) throw damaged()
  const order = Array.from({ length: count }, (_, index) => index)
  const selectors = new Uint8Array(selectorCount)
  for (let index = 0; index < selectorCount; index++) {
    let place = 0
    while (bits.take(1) === 1) if (++place >= count) throw damaged()
    const [moved = 0] = order.splice(place, 1)
    order.unshift(moved)
    selectors[index] = moved
  }
  return { codes: Array.from({ length: count }, () => readCode(bits, symbols)), selectors }
}

function readCode(bits: Bits, symbols: number): Code {
  const lengths = new Uint8Array(symbols)
  let length = bits.take(5)
  for (let symbol = 0; symbol < symbols; symbol++) {
    for (;;) {
      if (length < 1 || length > longestCode) throw damaged()
      if (bits.take(1) === 0) break
      length += bits.take(1) === 0 ? 1 : -1
    }
    lengths[symbol] = length
  }
  return codeOf(lengths)
}

function codeOf(lengths: Uint8Array): Code {
  const order = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b)
  const limit = new Int32Array(longestCode + 2).fill(-1)
  const base = new Int32Array(longestCode + 2)
  let code = 0
  let seen = 0
  for (let length = 1; length <= longestCode; length++) {
    const count = lengths.filter((other) => other === length).length
    base[length] = seen - code
    code += count
    seen += count
    limit[length] = count > 0 ? code - 1 : -1
    code <<= 1
  }
  return { limit, base, symbols: Uint16Array.from(order), shortest: Math.min(...lengths) }
}

function symbolOf(bits: Bits, { limit, base, symbols, shortest }: Code): number {
  const next = bits.peek(longestCode)
  for (let length = shortest; length <= longestCode; length++) {
    const code = next >>> (longestCode - length)
    if (code > (limit[length] ?? -1)) continue
    bits.take(length)
    const symbol = symbols[code + (base[length] ?? 0)]
    if (symbol === undefined) throw damaged()
    return symbol
  }
  throw damaged()
}

/** Undoes the runs of zeros and the moves to the front; returns how many bytes there are. */
function readMoves(bits: Bits, { codes, selectors }: Codes, used: Uint8Array, links: Uint32Array): number {
  const recent = Uint8Array.from(used)
  const largest = links.length
  const end = used.length + 1
  let length = 0
  let run = 0
  let weight = 1
  const put = (byte: number, times: number) => {
    if (length + times > largest) throw damaged()
    links.fill(byte, length, length + times)
    length += times
  }
  for (let index = 0; ; index++) {
    const code = codes[selectors[Math.floor(index / groupSize)] ?? -1]
    if (code === undefined) throw damaged()
    const symbol = symbolOf(bits, code)
    if (symbol <= 1) {
      run += weight << symbol
      weight *= 2
      if (run > largest) throw damaged()
      continue
    }
    if (run > 0) put(recent[0] ?? 0, run)
    run = 0
    weight = 1
    if (symbol === end) return length
    const moved = recent[symbol - 1] ?? 0
    recent.copyWithin(1, 0, symbol - 1)
    recent[0] = moved
    put(moved, 1)
  }
}

/** Undoes the sorting of Burrows and Wheeler; the low byte of each link is its character. */
function sorted(links: Uint32Array, length: number, origin: number): Uint8Array {
  const starts = new Uint32Array(257)
  for (let at = 0; at < length; at++) {
    const byte = (links[at] ?? 0) & 0xff
    starts[byte + 1] = (starts[byte + 1] ?? 0) + 1
  }
  for (let byte = 1; byte < 257; byte++) starts[byte] = (starts[byte] ?? 0) + (starts[byte - 1] ?? 0)
  for (let at = 0; at < length; at++) {
    const byte = (links[at] ?? 0) & 0xff
    const place = starts[byte] ?? 0
    starts[byte] = place + 1
    links[place] = ((links[place] ?? 0) | (at << 8)) >>> 0
  }
  const bytes = new Uint8Array(length)
  let link = (links[origin] ?? 0) >>> 8
  for (let at = 0; at < length; at++) {
    const next = links[link] ?? 0
    bytes[at] = next & 0xff
    link = next >>> 8
  }
  return bytes
}
