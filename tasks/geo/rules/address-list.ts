import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate as breathe } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { RangeSet } from './range-set.ts'
import { sortInPortions } from './sort-in-portions.ts'

/** A list of IP addresses, networks (CIDR) and autonomous systems that the operator installs as a text file. */
export interface AddressList {
  has(ip: string, system: number | null): boolean
  /** Number of lines that were read, and of lines that are neither an address, a network nor an autonomous system. */
  entries: number
  invalid: number
  /** Text of the line `# source: …`. Default: the name of the file. */
  source: string
  /** Time of the line `# updated: …`. Default: the time when the file was last modified. */
  updatedAt: Date
}

/** Maximum number of entries: larger lists would take more than 20 MB. Lines are read in portions. */
const [mostEntries, portion] = [250_000, 500]

const longestLine = 200

/** Reads a list. Throws if the file cannot be read, has no valid entry, is too large or is mostly invalid. */
export async function readAddressList(path: string): Promise<AddressList> {
  const { mtime } = await stat(path)
  const about = { source: basename(path), updatedAt: mtime }
  const read = new Entries()
  let lines = 0
  for await (const raw of createInterface({ input: createReadStream(path) })) {
    if (++lines % portion === 0) await breathe()
    const line = raw.slice(0, longestLine).trim()
    if (line.startsWith('#')) readHeader(line, about)
    else read.add(line.split(/[#;\s]/, 1)[0] ?? '')
  }
  const { entries, invalid, systems } = read
  if (invalid * 2 > entries || entries === 0)
    throw new Error(`${entries - invalid} of ${entries} lines of the list are valid.`)
  const ranges = await read.toRanges()
  return {
    ...about,
    entries,
    invalid,
    has: (ip, system) => (system !== null && systems.has(system)) || ranges.has(ip),
  }
}

class Entries {
  readonly systems = new Set<number>()
  entries = 0
  invalid = 0
  readonly #four: bigint[] = []
  readonly #six: string[] = []

  add(text: string): void {
    if (text === '') return
    if (++this.entries > mostEntries) throw new Error(`The list has more than ${mostEntries} entries.`)
    const system = /^AS(\d{1,10})$/i.exec(text)?.[1]
    const range = system === undefined ? rangeOf(text) : undefined
    if (system !== undefined) this.systems.add(Number(system))
    else if (range === undefined) this.invalid++
    else if (typeof range === 'bigint') this.#four.push(range)
    else this.#six.push(range)
  }

  async toRanges(): Promise<RangeSet> {
    const [four, six] = [await sortInPortions(this.#four, portion), await sortInPortions(this.#six, portion)]
    return await RangeSet.create(four, six, portion)
  }
}

function readHeader(line: string, about: { source: string; updatedAt: Date }): void {
  const [, name, value] = /^#\s{0,9}(source|updated):\s{0,9}(\S.*)$/i.exec(line) ?? []
  if (name?.toLowerCase() === 'source' && value) about.source = value
  const date = name?.toLowerCase() === 'updated' && value ? new Date(value) : undefined
  if (date && !Number.isNaN(date.getTime())) about.updatedAt = date
}

/** Returns the first and last address: IPv4 as one 64-bit number, IPv6 as 64 hexadecimal digits. */
function rangeOf(text: string): bigint | string | undefined {
  const [address = '', bits] = text.split('/')
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return undefined
  const most = family === 4 ? 32 : 128
  const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  // A list with a network of more than a 256th of the internet is a mistake.
  if (!(prefix >= 8 && prefix <= most)) return undefined
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
  const [first, last] = [Buffer.from(bytes), Buffer.from(bytes)]
  for (let bit = prefix; bit < most; bit++) {
    const [at, mask] = [bit >> 3, 0x80 >> (bit & 7)]
    first[at] = (first[at] ?? 0) & ~mask
    last[at] = (last[at] ?? 0) | mask
  }
  return family === 4
    ? (BigInt(first.readUInt32BE()) << 32n) | BigInt(last.readUInt32BE())
    : Buffer.concat([first, last]).toString('hex')
}
