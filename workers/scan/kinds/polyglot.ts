import { canHaveChecksum } from '../archives/tar.ts'
import { find, type Source, sliceSource } from '../source.ts'
import { findEnd, lastArchive } from '../zip/end.ts'
import { archives, type Family, type Kind } from './kind.ts'
import { holdsArchive } from './marks.ts'
import { headSize, sniff } from './sniff.ts'

const foreign: typeof archives = [...archives, 'program', 'library', 'script', 'shortcut', 'disk-image', 'html', 'svg']
/** Kinds that can contain other files, so that an archive at their end is not hidden. */
const holders: Family[] = ['container', 'ole']
const ofPrograms: Family[] = ['data', 'media', 'font', 'image', 'program', 'library']
const pages = /<script[\s>]|<html[\s>]|<\?php/i

/** Returns a second kind that a content has in addition to its apparent type, or `null`. */
export async function findSecondKind(source: Source, kind: Kind | null): Promise<string | null> {
  if (kind?.type !== 'application/zip' && (await isAlsoArchive(source, kind)))
    return 'The file also contains an archive.'
  if (!archives.includes(kind?.family) && canHaveChecksum(await source.read(0, 512)))
    return 'The file is also a tar archive.'
  if (kind === null) return null
  if (kind.family === 'image' || kind.family === 'media') {
    const head = (await source.read(0, headSize)).toString('latin1')
    if (/%PDF-\d/.test(head.slice(0, 1024))) return 'The file is also a PDF.'
    const tail = (await source.read(Math.max(0, source.size - headSize), source.size)).toString('latin1')
    if (kind.family === 'image' && (pages.test(head) || pages.test(tail)))
      return 'The image contains a page or a script.'
  }
  const end = ends[kind.type]
  return end !== undefined && (await isForeignBehind(source, end))
    ? 'The file has an archive or a program after its end.'
    : null
}

async function isAlsoArchive(source: Source, kind: Kind | null): Promise<boolean> {
  if (kind !== null && holders.includes(kind.family)) return false
  if (kind?.type === 'application/x-archive') return false
  if (kind !== null && ['archive', 'sealed', 'disk-image'].includes(kind.family))
    return (await findEnd(source)) !== null && (await lastArchive(source)) !== null
  const isOwn = kind !== null && ofPrograms.includes(kind.family)
  return (await lastArchive(source)) !== null || (await holdsArchive(source, isOwn))
}

/**
 * Returns the ZIP archive at the end of a file that can hold others: its own archive or a hidden one. Returns `null` if
 * there is none.
 */
export async function findArchiveAtEnd(source: Source, kind: Kind | null): Promise<Source | null> {
  if (kind === null || !holders.includes(kind.family)) return null
  const archive = await lastArchive(source)
  return archive === null ? null : sliceSource(source, archive.start, archive.end)
}

/**
 * End marks of the formats (PNG, 11.2.5; ITU-T T.81, Annex B). An extended PDF and an image with a thumbnail have
 * several end marks.
 */
const ends: Record<string, Buffer> = {
  'application/pdf': Buffer.from('%%EOF'),
  'image/png': Buffer.from('IEND\xaeB`\x82', 'latin1'),
  'image/jpeg': Buffer.from('\xff\xd9', 'latin1'),
}
const mostEnds = 1000

async function isForeignBehind(source: Source, end: Buffer): Promise<boolean> {
  let at = await find(source, end, 0)
  for (let count = 0; at !== -1; count++) {
    if (count > mostEnds) return true
    const next = await source.read(at + end.length, at + end.length + 4096)
    const first = next.findIndex((byte) => byte !== 0 && byte !== 0x20 && (byte < 0x09 || byte > 0x0d))
    const kind = first === -1 ? null : sniff(next.subarray(first))
    if (kind !== null && foreign.includes(kind.family)) return true
    at = await find(source, end, at + end.length)
  }
  return false
}
