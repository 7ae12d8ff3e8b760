import { damaged, encrypted, split, unreadable } from '../refusal.ts'
import type { Listed } from './listed.ts'

/** What stands between the facts of the archive and its entries. */
const border = '----------'

/**
 * Reads the technical list (`l -slt`) of one archive: its own facts, a border, and a paragraph for each entry in the order in which their
 * contents come. Names have no line ends there; comments have, and may say anything, so that of two facts the first counts.
 */
export function readList(text: string): Listed[] {
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

function readEntry(paragraph: string): Listed {
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

/** Refuses data of what is, for some tools, no file: what says that it is a folder or a device. */
function sizeOf(facts: Map<string, string>): number {
  const told = facts.get('Size') ?? ''
  const mode = facts.get('Mode') ?? facts.get('Attributes') ?? ''
  const isFolder = facts.get('Folder') === '+' || /^D|(?:^| )d[r-]/.test(mode)
  if (isFolder && told === '') return 0
  if (!/^\d{1,15}$/.test(told)) throw unreadable('unsupported_archive', 'It does not tell the sizes of its entries.')
  const size = Number(told)
  if (size > 0 && (isFolder || /(?:^| )[bcps][r-]/.test(mode))) throw damaged()
  return size
}
