import type { Inspection } from '../inspection.ts'
import type { OpenedArchive } from '../opened-archive.ts'
import { type Unpacker, unpackWith } from '../packed/unpacker.ts'
import { damaged, encrypted, split, unreadable } from '../refusal.ts'
import type { Source } from '../source.ts'
import { type ListedEntry, openListedEntries } from './listing.ts'

/**
 * Runs 7-Zip (7zz) with a fixed format and prints only errors. A password is always given. Otherwise, 7-Zip would read
 * one from standard input, which is the archive.
 */
export const createSevenZip = (command: 'l' | 'x', format: string, ...args: string[]): Unpacker => ({
  program: '7zz',
  args: [command, ...args, `-t${format}`, '-pnone', '-mmt1', '-sccUTF-8', '-bd', '-bse2', '-bsp0', '--', '/dev/stdin'],
})

export const createSevenZipOpener =
  (format: string) =>
  async (inspection: Inspection, source: Source, path: string[]): Promise<OpenedArchive> => {
    return { holder: 'archive', inners: openSevenZipEntries(inspection, source, path, format) }
  }

export function openSevenZipEntries(inspection: Inspection, source: Source, path: string[], format: string) {
  const list = (packed: string) => listOf(inspection, packed, format)
  return openListedEntries(inspection, source, path, list, createSevenZip('x', format, '-so', '-bso0'))
}

/** Maximum size of a list in bytes. The names of 10,000 entries are much shorter. */
const longestList = 16 * 1024 ** 2

async function listOf(inspection: Inspection, path: string, format: string): Promise<ListedEntry[]> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of unpackWith(createSevenZip('l', format, '-slt'), inspection, path)) {
    size += chunk.length
    if (size > longestList)
      throw unreadable('too_many_entries', 'The archive has too many entries, or their names are too long.')
    chunks.push(chunk)
  }
  return readList(Buffer.concat(chunks).toString('utf8'))
}

const border = '----------'

/**
 * Parses the technical list (`l -slt`) of one archive: properties of the archive, a border, and a paragraph per entry
 * in the order of the contents. Names in the list have no line ends. Comments can have line ends and contain anything,
 * so the first value of a property counts.
 */
export function readList(text: string): ListedEntry[] {
  const lines = text.split('\n')
  const start = lines.indexOf('--')
  const end = lines.indexOf(border)
  if (start === -1 || end < start || lines.includes(border, end + 1)) throw damaged()
  checkArchive(lines.slice(start, end))
  const entries = lines
    .slice(end + 1)
    .join('\n')
    .trimEnd()
  const paragraphs = entries === '' ? [] : entries.split('\n\n')
  return paragraphs.map((paragraph) => readEntry(paragraph.replace(/^\n/, '')))
}

function checkArchive(facts: string[]): void {
  if (facts.some((line) => /^(?:WARNING|ERROR)S?:/.test(line) || /^(?:Tail Size|Offset) = [1-9-]/.test(line)))
    throw damaged()
  if (facts.some((line) => line === 'Multivolume = +' || /^Volumes = (?!1$)/.test(line))) throw split()
}

function readEntry(paragraph: string): ListedEntry {
  const facts = new Map<string, string>()
  for (const line of paragraph.split('\n')) {
    const [, key, value] = /^([A-Z][\w -]*) = ?(.*)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined && !facts.has(key)) facts.set(key, value)
  }
  const name = facts.get('Path')
  if (name === undefined || !paragraph.startsWith('Path = ')) throw damaged()
  if (facts.get('Encrypted') === '+') throw encrypted()
  const size = sizeOf(facts)
  const crc = facts.get('CRC')
  return { name, size, crc32: crc ? Number.parseInt(crc, 16) : undefined, sha1: facts.get('SHA-1') || undefined }
}

/**
 * Returns the size of an entry. Rejects data of an entry that some tools do not read as a file, such as a folder or a
 * device.
 */
function sizeOf(facts: Map<string, string>): number {
  const sizeText = facts.get('Size') ?? ''
  const mode = facts.get('Mode') ?? facts.get('Attributes') ?? ''
  const isFolder = facts.get('Folder') === '+' || /^D|(?:^| )d[r-]/.test(mode)
  if (isFolder && sizeText === '') return 0
  if (!/^\d{1,15}$/.test(sizeText))
    throw unreadable('unsupported_archive', 'The archive does not contain the sizes of its entries.')
  const size = Number(sizeText)
  if (size > 0 && (isFolder || /(?:^| )[bcps][r-]/.test(mode))) throw damaged()
  return size
}
