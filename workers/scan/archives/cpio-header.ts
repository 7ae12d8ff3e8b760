import { malformed } from '../refusal.ts'
import type { Cursor } from '../source.ts'

/** What a header of cpio says of the entry behind it, and where that stands. */
interface Entry {
  name: string
  mode: number
  start: number
  end: number
  next: number
}

/** The fields of a header that count here, its own size, and to a multiple of what names and contents are filled up. */
interface Fields {
  mode: number
  nameSize: number
  size: number
  headerSize: number
  unit: number
}

const longestName = 4096
/** Bytes of a header of text. */
export const longestHeader = 110

/** Reads a header, whichever of the kinds it is of, and moves behind the name that follows it. */
export async function readHeader(cursor: Cursor): Promise<Entry> {
  const begin = cursor.at
  const fields = fieldsOf(await cursor.peek(longestHeader))
  if (fields === null) throw malformed('One of its headers is damaged.')
  const { mode, nameSize, size, headerSize, unit } = fields
  if (nameSize < 2 || nameSize > longestName) throw malformed('One of its names is too long.')
  cursor.at += headerSize
  const bytes = await cursor.take(nameSize)
  if (bytes.indexOf(0) !== nameSize - 1) throw malformed('One of its names does not end where it should.')
  const filled = (at: number) => begin + Math.ceil((at - begin) / unit) * unit
  const start = filled(cursor.at)
  const name = bytes.toString('utf8', 0, nameSize - 1)
  return { name, mode, start, end: start + size, next: filled(start + size) }
}

/** Whether a content begins like an archive of cpio: some tools take anything for a number in a header, but no text holds a zero. */
export function isCpio(head: Buffer): boolean {
  if (/^07070[127]/.test(head.toString('latin1', 0, 6))) return head.includes(0)
  const nameSize = binaryFields(head)?.nameSize ?? 0
  return nameSize > 0 && nameSize <= longestName
}

/**
 * Whether the header of a file stands `at` in the bytes, in numbers and with a name as programs write them; null where the
 * bytes end before that is known.
 */
export function isOldFile(bytes: Buffer, at: number): boolean | null {
  if (at + binarySize > bytes.length) return null
  const fields = binaryFields(bytes.subarray(at, at + binarySize))
  if (fields === null || fields.nameSize < 2 || fields.nameSize > longestName || fields.mode >> 12 !== 8) return false
  const start = at + fields.headerSize
  const end = start + fields.nameSize - 1
  if (!bytes.subarray(start, end).every((byte) => byte >= 0x20)) return false
  return end < bytes.length ? bytes[end] === 0 : null
}

/** Where the name behind a header of text ends that stands `at` in the bytes; null where none does. */
export function nameEndOf(bytes: Buffer, at: number): number | null {
  const fields = textFieldsOf(bytes.subarray(at, at + longestHeader))
  if (fields === null || fields.nameSize < 2 || fields.nameSize > longestName) return null
  return at + fields.headerSize + fields.nameSize - 1
}

const fieldsOf = (head: Buffer) => textFieldsOf(head) ?? binaryFields(head)

function textFieldsOf(head: Buffer): Fields | null {
  const text = head.toString('latin1', 0, longestHeader)
  if (/^070707[0-7]{70}/.test(text))
    return textFields(text, 8, [18, 24], [59, 65], [65, 76], { headerSize: 76, unit: 1 })
  if (/^07070[12][0-9a-f]{104}/i.test(text))
    return textFields(text, 16, [14, 22], [94, 102], [54, 62], { headerSize: 110, unit: 4 })
  return null
}

type Range = [number, number]

function textFields(
  text: string,
  base: number,
  mode: Range,
  nameSize: Range,
  size: Range,
  shape: Pick<Fields, 'headerSize' | 'unit'>,
): Fields {
  const number = (range: Range) => Number.parseInt(text.slice(...range), base)
  return { mode: number(mode), nameSize: number(nameSize), size: number(size), ...shape }
}

const binarySize = 26
const binaryUnit = 2

/** Thirteen numbers of 16 bits in the order of the machine that wrote them, of which two make the size. */
function binaryFields(head: Buffer): Fields | null {
  if (head.length < binarySize) return null
  const isLittle = head.readUInt16LE(0) === 0o070707
  if (!isLittle && head.readUInt16BE(0) !== 0o070707) return null
  const word = (index: number) => (isLittle ? head.readUInt16LE(2 * index) : head.readUInt16BE(2 * index))
  const size = word(11) * 2 ** 16 + word(12)
  return { mode: word(3), nameSize: word(10), size, headerSize: binarySize, unit: binaryUnit }
}
