import { archives } from '../archives/archive-nature.ts'
import { mayHaveChecksum } from '../archives/tar-header.ts'
import { find, part, type Source } from '../source.ts'
import { findEnd, lastArchive } from '../zip/end.ts'
import { endOf } from './endings.ts'
import type { Family, Kind } from './kind.ts'
import { holdsArchive } from './marks.ts'
import { headSize, sniff } from './sniff.ts'

const foreign: Family[] = [
  'program',
  'library',
  'script',
  'shortcut',
  'disk-image',
  'archive',
  'container',
  'sealed',
  'html',
  'svg',
]
/** What may hold other files as they are, so that an archive may lie at its end without hiding there. */
const holders: Family[] = ['container', 'ole']
const pages = /<script[\s>]|<html[\s>]|<\?php/i

/** What a content is besides what it seems to be: a sentence, or null when it is one thing only. */
export async function otherNature(source: Source, kind: Kind | null): Promise<string | null> {
  if (kind?.type !== 'application/zip' && (await isAlsoArchive(source, kind))) return 'It holds an archive as well.'
  if (kind === null) return null
  if (!archives.includes(kind.family) && mayHaveChecksum(await source.read(0, 512)))
    return 'It is a tar archive as well.'
  if (kind.family === 'pdf') return await behindPdf(source)
  if (kind.family !== 'image' && kind.family !== 'media') return null
  const head = (await source.read(0, headSize)).toString('latin1')
  if (/%PDF-\d/.test(head.slice(0, 1024))) return 'It is a PDF as well.'
  if (kind.family === 'media') return null
  const tail = (await source.read(Math.max(0, source.size - headSize), source.size)).toString('latin1')
  if (pages.test(head) || pages.test(tail)) return 'There is a page or a script in the picture.'
  const end = await endOf(kind.type, source)
  return end !== null && end < source.size && (await isForeign(source, end))
    ? 'Behind the end of the picture stands an archive or a program.'
    : null
}

/** What programs write for themselves, packed parts and all. */
const ofPrograms: Family[] = ['data', 'media', 'font', 'image', 'program', 'library']

/** Whether a content is what some program wrote for itself, in which few marks say anything. */
const isOfProgram = (kind: Kind | null): boolean => kind !== null && ofPrograms.includes(kind.family)

async function isAlsoArchive(source: Source, kind: Kind | null): Promise<boolean> {
  if (kind !== null && holders.includes(kind.family)) return false
  if (kind?.type === 'application/x-archive') return false
  if (kind !== null && ['archive', 'sealed', 'disk-image'].includes(kind.family))
    return (await findEnd(source)) !== null && (await lastArchive(source)) !== null
  return (await lastArchive(source)) !== null || (await holdsArchive(source, isOfProgram(kind)))
}

/** The ZIP archive at the end of what holds other files as they are: its own, or one that hides there; null without one. */
export async function endingArchive(source: Source, kind: Kind | null): Promise<Source | null> {
  if (kind === null || !holders.includes(kind.family)) return null
  const archive = await lastArchive(source)
  return archive === null ? null : part(source, archive.start, archive.end)
}

/** Whether what begins at a place, behind blanks, is something of its own. */
async function isForeign(source: Source, start: number): Promise<boolean> {
  const head = await source.read(start, start + headSize)
  const kind = sniff(head.subarray(firstOf(head)))
  return kind !== null && foreign.includes(kind.family)
}

const firstOf = (head: Buffer) => {
  const at = head.findIndex((byte) => byte !== 0 && byte !== 0x20 && (byte < 0x09 || byte > 0x0d))
  return at === -1 ? head.length : at
}

const mostEnds = 1000
const pdfEnd = Buffer.from('%%EOF')

/** A PDF may have been added to and so end several times: behind each end something else may stand. */
async function behindPdf(source: Source): Promise<string | null> {
  const told = 'Behind the end of the PDF stands an archive or a program.'
  let last = -1
  let ends = 0
  for (let at = await find(source, pdfEnd, 0); at !== -1; at = await find(source, pdfEnd, at + 5)) {
    ends += 1
    if (ends > mostEnds) return 'It has more ends than any PDF.'
    const next = await source.read(at + 5, at + 5 + 1024)
    const kind = sniff(next.subarray(firstOf(next)))
    if (kind !== null && foreign.includes(kind.family)) return told
    last = at + 5
  }
  return last !== -1 && (await isForeign(source, last)) ? told : null
}
