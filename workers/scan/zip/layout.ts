import { malformed } from '../refusal.ts'
import type { Source } from '../source.ts'
import type { Entry } from './directory.ts'
import { readDescriptor, readLocal } from './local.ts'

/** Bytes; far more than any signer writes. */
const largestSignature = 16 * 1024 ** 2

/** An entry whose place in the file is proved. */
export interface PlacedEntry extends Entry {
  dataStart: number
}

/** Checks that the entries, one after the other, fill the file from its first byte to the directory, and that each agrees with its local header. */
export async function placeEntries(source: Source, entries: Entry[], directoryStart: number): Promise<PlacedEntry[]> {
  const placed: PlacedEntry[] = []
  let at = 0
  for (const entry of entries.toSorted((a, b) => a.start - b.start)) {
    if (entry.start < at) throw malformed('Two of its entries overlap.')
    if (entry.start > at) at = await afterFiller(source, at, entry.start)
    const dataStart = await readLocal(source, entry)
    const dataEnd = dataStart + entry.packedSize
    if (dataEnd > directoryStart) throw malformed('An entry reaches into the directory.')
    at = await readDescriptor(source, entry, dataEnd)
    placed.push({ ...entry, dataStart })
  }
  if (at > directoryStart) throw malformed('An entry reaches into the directory.')
  if (at < directoryStart) await checkSigned(source, at, directoryStart)
  return placed
}

/** The end of the fillers between two entries: local headers without name and data, as Android's zipflinger writes them, zeros but for their lengths. */
async function afterFiller(source: Source, start: number, end: number): Promise<number> {
  let at = start
  while (at < end) {
    const header = await source.read(at, Math.min(at + 30, end))
    const isFiller =
      header.length === 30 && header.toString('latin1', 0, 4) === 'PK\x03\x04' && isBlank(header.subarray(6, 28))
    const next = isFiller ? at + 30 + header.readUInt16LE(28) : end + 1
    if (next > end || !isBlank(await source.read(at + 30, next)))
      throw malformed('Between two of its entries stands something that is in no directory.')
    at = next
  }
  return at
}

/** Checks that what stands before the directory is an APK signing block, whole, behind fewer zeros than a page. */
async function checkSigned(source: Source, start: number, directoryStart: number): Promise<void> {
  const hidden = malformed('Before its directory stands something that is in no directory.')
  const foot = await source.read(Math.max(start, directoryStart - 24), directoryStart)
  if (foot.length < 24 || foot.toString('latin1', 8) !== 'APK Sig Block 42') throw hidden
  const size = Number(foot.readBigUInt64LE(0))
  const begin = directoryStart - 8 - size
  if (
    size < 24 ||
    size > largestSignature ||
    begin < start ||
    begin - start >= 4096 ||
    !isBlank(await source.read(start, begin))
  )
    throw hidden
  if (Number((await source.read(begin, begin + 8)).readBigUInt64LE(0)) !== size) throw hidden
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0)
