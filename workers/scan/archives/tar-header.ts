import { malformed, unreadable } from '../refusal.ts'

/** What a header block says of the content behind it. */
export interface Header {
  name: string
  size: number
  flag: string
  /** Whether its content only says more of the next header's. */
  isMeta: boolean
}

/** Reads a header block, null for one of zeros; refuses one whose checksum is not that of its bytes. */
export function readHeader(header: Buffer): Header | null {
  if (header.every((byte) => byte === 0)) return null
  if (!hasChecksum(header)) throw malformed('One of its headers is damaged.')
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? textAt(header, 345, 155) : ''
  const name = textAt(header, 0, 100)
  const flag = header.toString('latin1', 156, 157)
  const told = numberAt(header, 124, 12)
  if (flag === '1' && told !== 0)
    throw malformed('A link has data, which some tools unpack and others take for entries.')
  if (flag === 'S') throw unreadable('sparse_file', 'An entry is a file with holes, which is not put together here.')
  // Links, devices and folders have no data, whatever the size says (POSIX, ustar interchange format).
  const size = '123456'.includes(flag) ? 0 : told
  return { name: prefix === '' ? name : `${prefix}/${name}`, size, flag, isMeta: 'xXgLK'.includes(flag) }
}

/** The text of a field that a NUL ends, unless it fills the field. */
export function textAt(bytes: Buffer, at: number, length: number): string {
  const end = bytes.indexOf(0, at)
  return bytes.toString('utf8', at, end === -1 || end > at + length ? at + length : end)
}

/** An octal number, or one in base 256 as GNU writes what is too large. */
function numberAt(bytes: Buffer, at: number, length: number): number {
  if (((bytes[at] ?? 0) & 0x80) !== 0) {
    const digits = [...bytes.subarray(at + 1, at + length)]
    return digits.reduce((value, digit) => value * 256 + digit, (bytes[at] ?? 0) & 0x7f)
  }
  const text = bytes.toString('latin1', at, at + length).replace(/^[\0\s]+|[\0\s]+$/g, '')
  if (!/^[0-7]*$/.test(text)) throw malformed('One of its headers is damaged.')
  return text === '' ? 0 : Number.parseInt(text, 8)
}

/** Whether a block carries the sum of its own bytes, which old programs took for signed: no other content begins like that. */
export function hasChecksum(header: Buffer): boolean {
  const told = /^[\0\s]*([0-7]{1,8})[\0\s]*$/.exec(header.toString('latin1', 148, 156))?.[1]
  return told !== undefined && isSum(header, told)
}

/** Whether the most lenient reader takes a block for the header of a tar archive. */
export function mayHaveChecksum(header: Buffer): boolean {
  const told = /[0-7]+/.exec(header.toString('latin1', 148, 156))?.[0]
  return told !== undefined && isSum(header, told)
}

function isSum(header: Buffer, told: string): boolean {
  if (header.length < 512) return false
  const block = Buffer.from(header.subarray(0, 512)).fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  const signed = block.reduce((total, byte) => total + ((byte << 24) >> 24), 0)
  return [sum, signed].includes(Number.parseInt(told, 8))
}
