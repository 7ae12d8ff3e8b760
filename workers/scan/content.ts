import { type About, aboutInner } from './about.ts'
import { checkSingle } from './archives/archive-nature.ts'
import { askEngine, askOfBytes } from './ask-engine.ts'
import { behindHead } from './behind-head.ts'
import { isEicar } from './eicar.ts'
import type { Inspection } from './inspection.ts'
import { Keeper } from './keeper.ts'
import type { Kind } from './kinds/kind.ts'
import { endingArchive } from './kinds/polyglot.ts'
import { headSize, sniff } from './kinds/sniff.ts'
import { inward, outward, wantsAll } from './looks.ts'
import type { Inner, Opened } from './opened.ts'
import { type Open, openerOf } from './openers.ts'
import { openUuencoded } from './packed/uuencoded.ts'
import { unreadable } from './refusal.ts'
import { memorySource, type Source } from './source.ts'
import { openZip } from './zip/open.ts'

/** A content that the engine has read, or reads meanwhile. */
interface Content extends About {
  size: number
  head: Buffer
  /** All of it; null for one too large to be kept whose kind needs no look beyond its ends. */
  source: Source | null
}

/** Looks at a content that the engine is given, and at all that is in it; returns its media type. */
export async function examineContent(inspection: Inspection, content: Content): Promise<string | null> {
  const { head, size, path, source } = content
  if (isEicar(head, size)) {
    // The engine's word, where it has one, says more.
    await inspection.ahead.settle()
    inspection.infected({ code: 'eicar', detail: 'It is the EICAR test file.' }, path)
  }
  const kind = sniff(head)
  for (const reason of outward(content, kind)) inspection.note('suspicious', reason, path)
  if (kind?.family === 'sealed') inspection.noteRefusal(unopened(kind), path)
  if (source === null) return kind?.type ?? null
  for (const finding of inward(inspection, content, { head, source, kind })) {
    try {
      for (const reason of await finding) inspection.note('suspicious', reason, path)
    } catch (error) {
      inspection.noteRefusal(error, path)
    }
  }
  return (await walk(inspection, content, source, kind)) ?? kind?.type ?? null
}

const unopened = ({ type }: Kind) => unreadable('unsupported_archive', `It is ${type}, which is not unpacked here.`)

/** Walks an archive, and one that it ends with as well; returns its media type as its entries tell it, null where they tell none. */
async function walk(
  inspection: Inspection,
  content: Content,
  source: Source,
  kind: Kind | null,
): Promise<string | null> {
  const open = openerOf(kind)
  const type =
    open === undefined || kind === null ? null : await walkBy(onlyAs(kind, open), inspection, content, source)
  const ending = await endingArchive(source, kind)
  if (ending !== null) await walkBy(openZip, inspection, content, ending)
  if (open === undefined) await walkEncoded(inspection, content, source)
  return type
}

const onlyAs =
  (kind: Kind, open: Open): Open =>
  async (inspection, source, path) => {
    checkSingle(await source.read(0, headSize), kind)
    return await open(inspection, source, path)
  }

async function walkBy(open: Open, inspection: Inspection, content: Content, source: Source): Promise<string | null> {
  try {
    checkDepth(inspection, content)
    const opened = await open(inspection, source, content.path)
    for await (const inner of opened.inners) await examineInner(inspection, content, opened, inner)
    return opened.type
  } catch (error) {
    inspection.noteRefusal(error, content.path)
    return null
  }
}

/** Any text may hold files: it is too deep only where it does. */
async function walkEncoded(inspection: Inspection, content: Content, source: Source): Promise<void> {
  try {
    const opened = await openUuencoded(inspection, source, content.path)
    for await (const inner of opened.inners) {
      checkDepth(inspection, content)
      await examineInner(inspection, content, opened, inner)
    }
  } catch (error) {
    inspection.noteRefusal(error, content.path)
  }
}

function checkDepth({ limits }: Inspection, { depth }: Content): void {
  if (depth >= limits.depth) throw unreadable('too_deep', `It holds archives more than ${limits.depth} deep.`)
}

async function examineInner(inspection: Inspection, outer: Content, { holder }: Opened, inner: Inner): Promise<void> {
  const about = aboutInner(outer, holder, inner)
  try {
    if (inner.size !== null && inner.size <= smallSize) await examineSmall(inspection, about, inner)
    else if (inner.source !== null) await examineInPlace(inspection, about, inner, inner.source)
    else await examineUnpacked(inspection, about, inner)
  } catch (error) {
    inspection.noteRefusal(error, about.path)
  }
}

/** Bytes up to which a content is held in memory while it is looked at, and the engine's answer is not waited for meanwhile. */
const smallSize = 256 * 1024

/** A small content is read once, for the engine and for us. */
async function examineSmall(inspection: Inspection, about: About, inner: Inner): Promise<void> {
  const chunks: Buffer[] = []
  let fault: { error: unknown } | null = null
  try {
    for await (const chunk of counted(inspection, inner)) chunks.push(chunk)
  } catch (error) {
    fault = { error }
  }
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
  // What breaks off is still the engine's to see.
  if (bytes.length > 0) await inspection.ahead.add(() => askOfBytes(inspection, bytes, about.path))
  if (fault !== null) throw fault.error
  const source = memorySource(bytes)
  await examineContent(inspection, { ...about, size: bytes.length, head: bytes.subarray(0, headSize), source })
}

/** A content that lies unpacked in its archive is read there. */
async function examineInPlace(inspection: Inspection, about: About, inner: Inner, source: Source): Promise<void> {
  const head = await source.read(0, headSize)
  if (isPlainlyWalked(head)) inspection.unpack(source.size)
  else await askEngine(inspection, counted(inspection, inner), inner.size, about.path, async () => {})
  await examineContent(inspection, { ...about, size: source.size, head, source })
}

/** A packed content is kept while the engine reads it, and unpacked once more should it turn out to hold another one. */
async function examineUnpacked(inspection: Inspection, about: About, inner: Inner): Promise<void> {
  const isWanted = (head: Buffer) => {
    const kind = sniff(head)
    return openerOf(kind) !== undefined || kind?.family === 'image' || wantsAll(about, kind, head)
  }
  await using keeper = new Keeper(inspection, isWanted)
  const { head, chunks } = await behindHead(counted(inspection, inner))
  if (isPlainlyWalked(head)) for await (const chunk of chunks) await keeper.add(chunk)
  else await askEngine(inspection, chunks, inner.size, about.path, (chunk) => keeper.add(chunk))
  if (!keeper.mayHoldArchive) {
    await examineContent(inspection, { ...about, size: keeper.size, ...(await keeper.finish()) })
    return
  }
  await using again = new Keeper(inspection, () => true)
  for await (const chunk of inner.open()) await again.add(chunk)
  await examineContent(inspection, { ...about, size: again.size, ...(await again.finish()) })
}

/** A tar archive is its entries and no more, each of which the engine reads; it has the archive, too, in the file itself. */
const isPlainlyWalked = (head: Buffer) => sniff(head)?.type === 'application/x-tar'

async function* counted(inspection: Inspection, inner: Inner): AsyncGenerator<Buffer> {
  for await (const chunk of inner.open()) {
    inspection.unpack(chunk.length)
    yield chunk
  }
}
