import { canHaveChecksum } from './archives/tar.ts'
import { scanBytesWithEngine, scanWithEngine } from './ask-engine.ts'
import { canBeReadAsPdf, checkContents, checkDeclaredType } from './checks.ts'
import { type ContentFacts, createInnerFacts } from './content-facts.ts'
import { examinePdfDocument } from './documents/pdf.ts'
import { openPdfFiles } from './documents/pdf-files.ts'
import { isEicar } from './eicar.ts'
import type { Inspection } from './inspection.ts'
import { archives, type Kind } from './kinds/kind.ts'
import { findArchiveAtEnd } from './kinds/polyglot.ts'
import { detectKinds, headSize, sniff } from './kinds/sniff.ts'
import type { InnerContent, OpenedArchive } from './opened-archive.ts'
import { type Opener, openerOf } from './openers.ts'
import { malformed, unreadable } from './refusal.ts'
import { memorySource, type Source } from './source.ts'
import { Spool } from './spool.ts'
import { openZip } from './zip/open.ts'

export async function examineContent(
  inspection: Inspection,
  about: ContentFacts,
  source: Source,
): Promise<string | null> {
  const { path } = about
  const head = await source.read(0, headSize)
  if (isEicar(head, source.size)) {
    // The engine's finding is more specific.
    await inspection.ahead.settle()
    inspection.infected({ code: 'eicar', detail: 'The file is the EICAR test file.' }, path)
  }
  const kind = sniff(head)
  for (const reason of checkDeclaredType(about, kind)) inspection.note('suspicious', reason, path)
  if (kind?.family === 'sealed')
    inspection.noteRefusal(unreadable('unsupported_archive', `The file is ${kind.type}, which is not unpacked.`), path)
  for (const finding of checkContents(inspection, about, { head, source, kind })) {
    try {
      for (const reason of await finding) inspection.note('suspicious', reason, path)
    } catch (error) {
      inspection.noteRefusal(error, path)
    }
  }
  if (canBeReadAsPdf(kind, head)) await examinePdf(inspection, about, source)
  return (await walk(inspection, about, source, kind)) ?? kind?.type ?? null
}

async function examinePdf(inspection: Inspection, about: ContentFacts, source: Source): Promise<void> {
  const { path } = about
  try {
    const { reasons, hasFiles } = await examinePdfDocument(inspection, source, path)
    for (const reason of reasons) inspection.note('suspicious', reason, path)
    if (hasFiles) await walkBy(openPdfFiles, inspection, about, source)
  } catch (error) {
    inspection.noteRefusal(error, path)
  }
}

/**
 * Examines the entries of an archive, and those of an archive at its end. Returns the archive's media type if the
 * entries show it, or `null`.
 */
async function walk(
  inspection: Inspection,
  about: ContentFacts,
  source: Source,
  kind: Kind | null,
): Promise<string | null> {
  const open = openerOf(kind)
  const type = open === undefined || kind === null ? null : await walkBy(onlyAs(kind, open), inspection, about, source)
  const ending = await findArchiveAtEnd(source, kind)
  if (ending !== null) await walkBy(openZip, inspection, about, ending)
  return type
}

const onlyAs =
  ({ type }: Kind, open: Opener): Opener =>
  async (inspection, source, path) => {
    const head = await source.read(0, headSize)
    // A tar header can consist of any bytes, except for its checksum.
    if (type !== 'application/x-tar' && canHaveChecksum(head)) throw malformed('The file is also a tar archive.')
    if (detectKinds(head).some((other) => archives.includes(other.family) && other.type !== type))
      throw malformed('The file is also an archive of a different kind.')
    return await open(inspection, source, path)
  }

async function walkBy(
  open: Opener,
  inspection: Inspection,
  about: ContentFacts,
  source: Source,
): Promise<string | null> {
  const { depth } = inspection.limits
  try {
    if (about.depth >= depth)
      throw unreadable('too_deep', `The file contains archives nested more than ${depth} levels deep.`)
    const opened = await open(inspection, source, about.path)
    for await (const inner of opened.inners) await examineInner(inspection, about, opened, inner)
    return opened.type ?? null
  } catch (error) {
    inspection.noteRefusal(error, about.path)
    return null
  }
}

async function examineInner(
  inspection: Inspection,
  outer: ContentFacts,
  { holder }: OpenedArchive,
  inner: InnerContent,
): Promise<void> {
  const about = createInnerFacts(outer, holder, inner)
  await using keeper = new Spool(inspection)
  try {
    const { source, fault } = await unpacked(inspection, inner, keeper)
    // The engine also scans the part before an error.
    await ask(inspection, source, about.path)
    if (fault !== null) throw fault.error
    await examineContent(inspection, about, source)
  } catch (error) {
    inspection.noteRefusal(error, about.path)
  }
}

/** Maximum size in bytes of a content that stays in memory and whose engine result is awaited later. */
const smallSize = 256 * 1024

/**
 * Returns the bytes of a content up to an error, and the error. A stored entry is read in place, unless it is small.
 */
async function unpacked(
  inspection: Inspection,
  { bytes }: InnerContent,
  keeper: Spool,
): Promise<{ source: Source; fault: { error: unknown } | null }> {
  let fault: { error: unknown } | null = null
  if (typeof bytes !== 'function') {
    inspection.unpack(bytes.size)
    const isSmall = bytes.size <= smallSize
    return { source: isSmall ? memorySource(await bytes.read(0, bytes.size)) : bytes, fault }
  }
  try {
    for await (const chunk of bytes()) {
      inspection.unpack(chunk.length)
      await keeper.add(chunk)
    }
  } catch (error) {
    fault = { error }
  }
  return { source: await keeper.finish(), fault }
}

async function ask(inspection: Inspection, source: Source, path: string[]): Promise<void> {
  if (source.size === 0) return
  if (source.size > smallSize) {
    // A tar archive contains only its entries, which the engine scans. The engine also scans the archive as part of the
    // file.
    if (sniff(await source.read(0, headSize))?.type !== 'application/x-tar')
      await scanWithEngine(inspection, source, path)
    return
  }
  const bytes = await source.read(0, source.size)
  await inspection.ahead.add(() => scanBytesWithEngine(inspection, bytes, path))
}
