import { crc32 } from 'node:zlib'
import { isEicar } from '../eicar.ts'
import type { Inspection } from '../inspection.ts'
import { hasZip } from '../kinds/marks.ts'
import { type OpenedArchive, openWrapper } from '../opened-archive.ts'
import { malformed } from '../refusal.ts'
import { type Source, sliceSource } from '../source.ts'
import { inflate } from './inflate.ts'

const flag = { headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 }
/** Maximum size in bytes of the header: its extra field, name and comment. */
const largestHeader = 80 * 1024

/** Opens a gzip file (RFC 1952). All members together are one content, as for gunzip. */
export async function openGzip(inspection: Inspection, source: Source, path: string[]): Promise<OpenedArchive> {
  const { name } = await readHeader(source, 0)
  return openWrapper(inspection, () => membersOf(inspection, source, path), name === null ? [] : [name])
}

async function* membersOf(inspection: Inspection, source: Source, path: string[]): AsyncGenerator<Buffer> {
  let unpacked = 0
  for (let at = 0; at < source.size; ) {
    const { dataStart } = await readHeader(source, at)
    const member = { crc: 0, size: 0, head: Buffer.alloc(0), consumed: 0 }
    for await (const chunk of inflate(sliceSource(source, dataStart, source.size), member, inspection.signal)) {
      unpacked += chunk.length
      inspection.checkRatio(source.size, unpacked)
      member.crc = crc32(chunk, member.crc)
      member.size += chunk.length
      if (member.head.length < 128) member.head = Buffer.concat([member.head, chunk.subarray(0, 128)])
      yield chunk
    }
    if (isEicar(member.head, member.size))
      inspection.infected({ code: 'eicar', detail: 'A part of the archive is the EICAR test file.' }, path)
    at = dataStart + member.consumed + 8
    const trailer = await source.read(at - 8, at)
    if (trailer.length < 8) throw malformed('The archive is truncated.')
    if (trailer.readUInt32LE(0) !== member.crc || trailer.readUInt32LE(4) !== member.size % 2 ** 32)
      throw malformed('The CRC or the size in the archive does not match its data.')
    if (await isPadding(source, at)) return
  }
}

async function readHeader(source: Source, start: number): Promise<{ name: string | null; dataStart: number }> {
  const bytes = await source.read(start, start + largestHeader)
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== '\x1f\x8b\x08')
    throw malformed('The archive has data after its end that is not part of it.')
  const flags = bytes.readUInt8(3)
  if ((flags & flag.reserved) !== 0) throw malformed('The header of the archive has unknown flags.')
  let at = 10
  const text = () => {
    const [begin, end] = [at, bytes.indexOf(0, at)]
    at = end === -1 ? bytes.length : end + 1
    return bytes.toString('latin1', begin, end)
  }
  if (flags & flag.extra) at += bytes.length < 12 ? bytes.length : 2 + bytes.readUInt16LE(10)
  const name = flags & flag.name ? text() : null
  if (flags & flag.comment) text()
  if (flags & flag.headerCrc) at += 2
  if (at >= bytes.length) throw malformed('The header of the archive does not end.')
  if (hasZip(bytes.subarray(0, at))) throw malformed('The header of the archive contains an archive.')
  return { name, dataStart: start + at }
}

/** True if only zeros follow. Tapes and some programs write such zeros. */
async function isPadding(source: Source, at: number): Promise<boolean> {
  const next = await source.read(at, at + 64 * 1024)
  return next.length < 64 * 1024 && next.every((byte) => byte === 0)
}
