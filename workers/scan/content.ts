import { askEngine } from './ask-engine.ts'
import { isSaidToBeMarkup, mismatch } from './claims.ts'
import { scriptsIn } from './documents/markup.ts'
import { macroName, officeFaults } from './documents/office.ts'
import { oleFaults } from './documents/ole.ts'
import { pdfActions } from './documents/pdf.ts'
import { isEicar } from './eicar.ts'
import { openGzip } from './gzip.ts'
import type { Inspection } from './inspection.ts'
import { Keeper } from './keeper.ts'
import type { Family, Kind } from './kind.ts'
import { faultsOfName } from './names.ts'
import type { Inner, Opened } from './opened.ts'
import { otherNature } from './polyglot.ts'
import { unreadable } from './refusal.ts'
import { runnable } from './runnable.ts'
import { headSize, mayBePdf, sniff } from './sniff.ts'
import type { Source } from './source.ts'
import { openTar } from './tar.ts'
import type { Reason } from './verdict.ts'
import { openZip } from './zip/open.ts'

/** A content that the engine has read: the file itself, or one inside it. */
export interface Content {
  name: string
  declaredType: string | null
  /** The names of the archives it is in and its own; empty for the file itself. */
  path: string[]
  /** What it is in. */
  within: 'nothing' | 'archive' | 'document'
  depth: number
  size: number
  head: Buffer
  /** All of it; null for one too large to be kept whose kind needs no look beyond its ends. */
  source: Source | null
}

const openers: Record<string, typeof openZip> = {
  'application/zip': openZip,
  'application/gzip': openGzip,
  'application/x-tar': openTar,
}

const walked: Family[] = ['archive', 'ole', 'pdf', 'html', 'svg', 'image']

/** Looks at a content the engine has read, and at all that is in it; returns its media type. */
export async function examineContent(inspection: Inspection, content: Content): Promise<string | null> {
  const { head, size, path } = content
  if (isEicar(head, size)) inspection.infected({ code: 'eicar', detail: 'It is the EICAR test file.' }, path)
  const kind = sniff(head)
  for (const reason of outward(content, kind)) inspection.note('suspicious', reason, path)
  const { source } = content
  if (source === null) return kind?.type ?? null
  for (const look of [lookInside, lookBeside]) {
    try {
      for (const reason of await look(inspection, content, source, kind)) inspection.note('suspicious', reason, path)
    } catch (error) {
      inspection.noteRefusal(error, path)
    }
  }
  return (await walk(inspection, content, source, kind)) ?? kind?.type ?? null
}

/** What the name, the declared type and the first bytes tell together. */
function outward(content: Content, kind: Kind | null): Reason[] {
  const { name, declaredType, within } = content
  const faults = faultsOfName(name, within !== 'nothing')
  if (within === 'document') faults.push(...[macroName(content.name)].filter((reason) => reason !== null))
  if (kind === null) return faults
  const detail = mismatch(kind, name, declaredType)
  if (detail !== null) faults.push({ code: 'type_mismatch', detail })
  const runs = runnable(kind, within)
  if (runs !== null && !faults.some(({ code }) => code === runs.code)) faults.push(runs)
  return faults
}

/** What the kind of a document allows to be hidden in it. */
async function lookInside(
  inspection: Inspection,
  { name, declaredType, within, head }: Content,
  source: Source,
  kind: Kind | null,
): Promise<Reason[]> {
  if (kind?.family === 'ole') return await oleFaults(source)
  if (kind?.family === 'pdf' || (kind?.family === 'text' && mayBePdf(head))) return await pdfActions(inspection, source)
  if (within === 'document') return await officeFaults(name, source)
  // An unpacked page is opened by who unpacked it; sites and manuals travel in archives, scripts and all.
  if (within === 'archive') return []
  const isText = kind === null || ['html', 'svg', 'text'].includes(kind.family)
  const isMarkup = kind?.family === 'html' || kind?.family === 'svg' || (isText && isSaidToBeMarkup(name, declaredType))
  return isMarkup ? await scriptsIn(source, kind) : []
}

async function lookBeside(
  inspection: Inspection,
  { path }: Content,
  source: Source,
  kind: Kind | null,
): Promise<Reason[]> {
  const detail = await otherNature(source, kind, path.length === 0 ? inspection.marks : null)
  return detail === null ? [] : [{ code: 'polyglot', detail }]
}

/** Walks an archive; returns its media type as its entries tell it, null for what is none or none that can be opened. */
async function walk(
  inspection: Inspection,
  content: Content,
  source: Source,
  kind: Kind | null,
): Promise<string | null> {
  const open = openers[kind?.type ?? '']
  if (open === undefined) return null
  try {
    if (content.depth >= inspection.limits.depth)
      throw unreadable('too_deep', `It holds archives more than ${inspection.limits.depth} deep.`)
    const opened = await open(inspection, source, content.path)
    for await (const inner of opened.inners) await examineInner(inspection, content, opened, inner)
    return opened.type
  } catch (error) {
    inspection.noteRefusal(error, content.path)
    return null
  }
}

async function examineInner(inspection: Inspection, outer: Content, { holder }: Opened, inner: Inner): Promise<void> {
  const isWrapped = holder === 'wrapper'
  const name = inner.name ?? outer.name.replace(/\.(gz|svgz|tgz)$/i, (ending) => unwrapped[ending.toLowerCase()] ?? '')
  const about = {
    name,
    declaredType: null,
    path: [...outer.path, name],
    within: isWrapped ? outer.within : holder,
    depth: outer.depth + 1,
  }
  try {
    if (inner.source !== null) await examineInPlace(inspection, about, inner, inner.source)
    else await examineUnpacked(inspection, about, inner)
  } catch (error) {
    inspection.noteRefusal(error, about.path)
  }
}

const unwrapped: Record<string, string> = { '.gz': '', '.svgz': '.svg', '.tgz': '.tar' }

/** A content before its bytes are looked at. */
export type About = Omit<Content, 'size' | 'head' | 'source'>

/** A content that lies unpacked in its archive is read there. */
async function examineInPlace(inspection: Inspection, about: About, inner: Inner, source: Source): Promise<void> {
  await askEngine(inspection, counted(inspection, inner), inner.size, about.path, async () => {})
  const head = await source.read(0, headSize)
  await examineContent(inspection, { ...about, size: source.size, head, source })
}

/** A packed content is kept while the engine reads it, and unpacked once more should it turn out to hold another one. */
async function examineUnpacked(inspection: Inspection, about: About, inner: Inner): Promise<void> {
  await using keeper = new Keeper(inspection, isWalked)
  await askEngine(inspection, counted(inspection, inner), inner.size, about.path, (chunk) => keeper.add(chunk))
  if (!keeper.mayHoldArchive) {
    await examineContent(inspection, { ...about, size: keeper.size, ...(await keeper.finish()) })
    return
  }
  await using again = new Keeper(inspection, () => true)
  for await (const chunk of inner.open()) await again.add(chunk)
  await examineContent(inspection, { ...about, size: again.size, ...(await again.finish()) })
}

const isWalked = (head: Buffer) => {
  const kind = sniff(head)
  return kind !== null && walked.includes(kind.family)
}

async function* counted(inspection: Inspection, inner: Inner): AsyncGenerator<Buffer> {
  for await (const chunk of inner.open()) {
    inspection.unpack(chunk.length)
    yield chunk
  }
}

/** Whether a content is an archive that is opened here. */
export const isOpened = (kind: Kind | null): boolean => openers[kind?.type ?? ''] !== undefined
