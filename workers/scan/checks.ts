import type { Reason } from '#tasks/files/engine.ts'
import type { ContentFacts } from './content-facts.ts'
import { canBeFlat, findFlatMacros } from './documents/flat.ts'
import { findScripts } from './documents/markup.ts'
import { findMacroName, findOfficeFaults, isOfficePart } from './documents/office.ts'
import { findOleFaults } from './documents/ole.ts'
import { findRtfFaults } from './documents/rtf.ts'
import type { Inspection } from './inspection.ts'
import { findMismatch, isDeclaredAs } from './kinds/claims.ts'
import type { Family, Kind } from './kinds/kind.ts'
import { findNameFaults } from './kinds/names.ts'
import { findSecondKind } from './kinds/polyglot.ts'
import { canBePdf } from './kinds/sniff.ts'
import { openerOf } from './openers.ts'
import { checkEncoded } from './packed/uuencoded.ts'
import type { Source } from './source.ts'

interface Check {
  applies(about: ContentFacts, kind: Kind | null, head: Buffer): boolean
  find(source: Source, kind: Kind | null, about: ContentFacts, inspection: Inspection): Promise<Reason[]>
}

/** Contents that a PDF reader never opens, or whose parts are separate contents. */
const noPdf: (Family | undefined)[] = ['archive', 'container', 'ole', 'image', 'media']

export const canBeReadAsPdf = (kind: Kind | null, head: Buffer): boolean =>
  kind?.family === 'pdf' || (canBePdf(head) && !noPdf.includes(kind?.family))

const checks: Check[] = [
  { applies: (_, kind) => kind?.family === 'ole', find: (source) => findOleFaults(source) },
  {
    applies: ({ names, within }) => isEntry(within) && names.some(isOfficePart),
    find: (source, _, { names }) => findOfficeFaults(names, source),
  },
  { applies: (_, kind) => kind?.type === 'application/rtf', find: (source) => findRtfFaults(source) },
  {
    applies: (_, kind, head) => (kind?.family === 'text' || kind?.family === 'html') && canBeFlat(head),
    find: (source) => findFlatMacros(source),
  },
  // The archive of the entry is unpacked before the page is opened. Websites and manuals with scripts are shared as
  // archives.
  {
    applies: (about, kind) => !isEntry(about.within) && markupAs(about, kind) !== null,
    find: (source, kind, about) => findScripts(source, kind, markupAs(about, kind) === 'markup'),
  },
  {
    applies: (_, kind) => openerOf(kind) === undefined,
    async find(source) {
      await checkEncoded(source)
      return []
    },
  },
]

/** True for a part of another content. An attachment of a document counts as a separate file. */
const isEntry = (within: ContentFacts['within']) => within === 'archive' || within === 'document'

/**
 * Returns the declared markup. A browser uses the name or the declared type, regardless of the first bytes. A browser
 * cannot read packed data.
 */
function markupAs({ names, declaredType }: Pick<ContentFacts, 'names' | 'declaredType'>, kind: Kind | null) {
  if (kind?.family === 'html' || kind?.family === 'svg') return 'markup'
  if (kind?.family === 'archive') return null
  const claims = names.map((name) => isDeclaredAs(name, declaredType))
  if (claims.includes('markup')) return 'markup'
  return claims.includes('xml') || kind?.type === 'application/xml' ? 'xml' : null
}

export function checkDeclaredType({ names, declaredType, within }: ContentFacts, kind: Kind | null): Reason[] {
  const faults = names.flatMap((name) => findNameFaults(name, isEntry(within)))
  if (within === 'document') faults.push(...names.flatMap((name) => findMacroName(name) ?? []))
  if (kind === null) return onePerCode(faults)
  const details = names.flatMap((name) => findMismatch(kind, name, declaredType) ?? [])
  faults.push(...details.map((detail) => ({ code: 'type_mismatch', detail })))
  const runs = findRunnable(kind, within)
  return onePerCode(runs === null ? faults : [...faults, runs])
}

const onePerCode = (faults: Reason[]) => [...new Map(faults.toReversed().map((fault) => [fault.code, fault])).values()]

export function* checkContents(
  inspection: Inspection,
  about: ContentFacts,
  { head, source, kind }: { head: Buffer; source: Source; kind: Kind | null },
): Generator<Promise<Reason[]>> {
  for (const { applies, find } of checks) if (applies(about, kind, head)) yield find(source, kind, about, inspection)
  yield beside(source, kind)
}

/** Trailers of fixed-size disk images (VHD, and UDIF of macOS). Such images start with the first sector of the disk. */
const footers = ['conectix', 'koly\0\0\0\x04']

async function beside(source: Source, kind: Kind | null): Promise<Reason[]> {
  const foot = (await source.read(Math.max(0, source.size - 512), source.size)).toString('latin1', 0, 8)
  if (source.size > 512 && footers.includes(foot)) return [diskImage]
  const detail = await findSecondKind(source, kind)
  return detail === null ? [] : [{ code: 'polyglot', detail }]
}

const executable: Reason = { code: 'executable', detail: 'The file is a program or a script.' }
export const diskImage: Reason = {
  code: 'disk_image',
  detail: 'The file is a disk image. No scanner marks its files as downloaded.',
}

/**
 * Returns the reason why a content cannot pass, or `null` if it can. In an archive, libraries are parts of software,
 * and their names show this. Programs for Windows, shortcuts and disk images are sent to be opened. Scripts count as
 * text, except in and next to documents, which need no scripts.
 */
export function findRunnable({ family }: Kind, within: ContentFacts['within']): Reason | null {
  if (family === 'disk-image') return diskImage
  if (family === 'program' || family === 'shortcut') return executable
  if (family === 'script') return within === 'document' || within === 'attachment' ? executable : null
  return family === 'library' && within !== 'archive' ? executable : null
}
