import { crc32 } from 'node:zlib'
import { checkSums } from '../archives/listing.ts'
import { openSevenZipEntries } from '../archives/seven-zip.ts'
import type { Inspection } from '../inspection.ts'
import { findUnsafePath } from '../kinds/names.ts'
import type { InnerContent, OpenedArchive } from '../opened-archive.ts'
import { inflate, inflateAtOnce } from '../packed/inflate.ts'
import { malformed, type RefusalError, split, unreadable } from '../refusal.ts'
import { type Source, sliceSource } from '../source.ts'
import { type Entry, readDirectory } from './directory.ts'
import { readEnd } from './end.ts'
import { type PlacedEntry, placeEntries } from './layout.ts'
import { purposeOf } from './purpose.ts'

/** First bytes of an archive that was split into several files, or could have been (APPNOTE 8.5). */
const splitMarks = ['PK\x07\x08', 'PK00']

/**
 * Additional methods that 7-Zip supports (APPNOTE 4.4.5): shrink, implode, Deflate64, bzip2, LZMA, Zstandard, XZ and
 * PPMd.
 */
const ofSevenZip = [1, 6, 9, 12, 14, 93, 95, 98]

const isEncrypted = ({ flags, method }: Entry) => (flags & 0x2041) !== 0 || method === 99

/** Checks that every tool sees the same entries in a ZIP archive, and yields them. Rejects other archives. */
export async function openZip(inspection: Inspection, source: Source, path: string[]): Promise<OpenedArchive> {
  if (splitMarks.includes((await source.read(0, 4)).toString('latin1'))) throw split()
  const end = await readEnd(source)
  const entries = await readDirectory(source, end, inspection.entriesLeft)
  const placed = await placeEntries(source, entries, end.directoryStart)
  checkNames(entries)
  const purpose = await purposeOf(source, placed)
  const isOurs = !entries.some(({ method }) => ofSevenZip.includes(method))
  const inners = isOurs
    ? innersOf(inspection, source, placed, path)
    : openSevenZipEntries(inspection, source, path, 'zip')
  return { ...purpose, inners }
}

function checkNames(entries: Entry[]): void {
  const names = new Set<string>()
  for (const entry of entries) {
    if (entry.name.includes('\0') || entry.otherName?.includes('\0')) throw malformed('An entry has a name with a NUL.')
    for (const name of new Set(namesOf(entry).map(asUnpacked))) {
      if (names.has(name)) throw malformed('Two entries of the archive have the same name.')
      names.add(name)
    }
  }
}

const namesOf = ({ name, otherName }: Entry) => (otherName === null ? [name] : [name, otherName])

const asUnpacked = (name: string) =>
  name
    .split(/[/\\]/)
    .filter((part) => part !== '' && part !== '.')
    .join('/')

async function* innersOf(
  inspection: Inspection,
  source: Source,
  entries: PlacedEntry[],
  path: string[],
): AsyncGenerator<InnerContent> {
  for (const entry of entries) {
    inspection.enter()
    for (const detail of namesOf(entry).flatMap((name) => findUnsafePath(name) ?? []))
      inspection.note('suspicious', { code: 'unsafe_name', detail }, [...path, entry.name])
    const refusal = refusalOf(entry)
    if (refusal === null) yield await inner(inspection, source, entry)
    else inspection.noteRefusal(refusal, [...path, entry.name])
  }
}

async function inner(inspection: Inspection, source: Source, entry: PlacedEntry): Promise<InnerContent> {
  if (entry.method !== 0) return { names: namesOf(entry), bytes: () => entryBytes(inspection, source, entry) }
  const bytes = sliceSource(source, entry.dataStart, entry.dataStart + entry.packedSize)
  await checkSums(bytes, { crc32: entry.crc })
  return { names: namesOf(entry), bytes }
}

function refusalOf(entry: Entry): RefusalError | null {
  if (isEncrypted(entry)) return unreadable('encrypted', 'An entry is encrypted.')
  if (entry.method !== 0 && entry.method !== 8)
    return unreadable('unsupported_method', `An entry is packed with method ${entry.method}, which is not supported.`)
  if (entry.method === 0 && entry.size !== entry.packedSize) return malformed('A stored entry has two sizes.')
  return null
}

/** Yields the unpacked bytes of an entry. Throws as soon as they differ from the directory. */
async function* entryBytes(inspection: Inspection, source: Source, entry: PlacedEntry): AsyncGenerator<Buffer> {
  const packed = sliceSource(source, entry.dataStart, entry.dataStart + entry.packedSize)
  const passed = { consumed: entry.packedSize }
  // Some writers use the method of files for folders, without data.
  const isEmpty = entry.packedSize === 0 && entry.size === 0
  let size = 0
  let crc = 0
  inspection.checkRatio(entry.packedSize, entry.size)
  const unpacked = async () => {
    if (isEmpty) return []
    return (await inflateAtOnce(packed, entry.size, passed)) ?? inflate(packed, passed, inspection.signal)
  }
  for await (const chunk of await unpacked()) {
    size += chunk.length
    if (size > entry.size) throw malformed('An entry unpacks to more bytes than the directory contains.')
    crc = crc32(chunk, crc)
    yield chunk
  }
  if (size !== entry.size) throw malformed('An entry unpacks to fewer bytes than the directory contains.')
  if (passed.consumed !== entry.packedSize) throw malformed('The data of an entry ends before its size is reached.')
  if (crc !== entry.crc) throw malformed('The CRC of an entry does not match its data.')
}
