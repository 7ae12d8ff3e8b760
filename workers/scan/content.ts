import type { About } from './about.ts'
import { openAr } from './ar.ts'
import { askEngine } from './ask-engine.ts'
import { openBzip2 } from './bzip2.ts'
import { openLzip, openLzma, openXz } from './compressed.ts'
import { openCpio } from './cpio.ts'
import { isEicar } from './eicar.ts'
import { openGzip } from './gzip.ts'
import type { Inspection } from './inspection.ts'
import { Keeper } from './keeper.ts'
import type { Kind } from './kind.ts'
import { libarchive } from './libarchive.ts'
import { inward, outward, wantsAll } from './looks.ts'
import type { Inner, Opened } from './opened.ts'
import { endingArchive } from './polyglot.ts'
import { unreadable } from './refusal.ts'
import { openRpm } from './rpm.ts'
import { headSize, sniff } from './sniff.ts'
import type { Source } from './source.ts'
import { openTar } from './tar.ts'
import { openZip } from './zip/open.ts'
import { openZstd } from './zstd.ts'

/** A content that the engine has read. */
interface Content extends About {
  size: number
  head: Buffer
  /** All of it; null for one too large to be kept whose kind needs no look beyond its ends. */
  source: Source | null
}

const openers: Record<string, typeof openZip> = {
  'application/zip': openZip,
  'application/gzip': openGzip,
  'application/zstd': openZstd,
  'application/x-bzip2': openBzip2,
  'application/x-tar': openTar,
  'application/x-archive': openAr,
  'application/x-cpio': openCpio,
  'application/x-rpm': openRpm,
  'application/x-xz': openXz,
  'application/x-lzma': openLzma,
  'application/x-lzip': openLzip,
  ...Object.fromEntries(
    [
      'application/x-7z-compressed',
      'application/vnd.rar',
      'application/vnd.ms-cab-compressed',
      'application/x-lzh-compressed',
      'application/x-xar',
      'application/x-iso9660-image',
    ].map((type) => [type, libarchive(type)]),
  ),
}

/** Looks at a content the engine has read, and at all that is in it; returns its media type. */
export async function examineContent(inspection: Inspection, content: Content): Promise<string | null> {
  const { head, size, path, source } = content
  if (isEicar(head, size)) inspection.infected({ code: 'eicar', detail: 'It is the EICAR test file.' }, path)
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
  const open = openers[kind?.type ?? '']
  const type = open === undefined ? null : await walkBy(open, inspection, content, source)
  const ending = await endingArchive(source, kind)
  if (ending !== null) await walkBy(openZip, inspection, content, ending)
  return type
}

async function walkBy(
  open: typeof openZip,
  inspection: Inspection,
  content: Content,
  source: Source,
): Promise<string | null> {
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
  // What a wrapper names inside is taken by some tools alone: others take the ending away.
  const [name = '', ...others] = isWrapped ? [...inner.names, ...outer.names.map(unwrapped)] : inner.names
  const about: About = {
    names: [name, ...others],
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

const endings: Record<string, string> = {
  gz: '',
  zst: '',
  bz2: '',
  xz: '',
  lzma: '',
  lz: '',
  tbz: '.tar',
  tbz2: '.tar',
  svgz: '.svg',
  tgz: '.tar',
  txz: '.tar',
  tlz: '.tar',
  tzst: '.tar',
}

const unwrapped = (name: string) =>
  name.replace(
    /\.(gz|zst|bz2|xz|lzma|lz|svgz|tgz|tzst|tbz2?|txz|tlz)$/i,
    (_, ending: string) => endings[ending.toLowerCase()] ?? '',
  )

/** A content that lies unpacked in its archive is read there. */
async function examineInPlace(inspection: Inspection, about: About, inner: Inner, source: Source): Promise<void> {
  await askEngine(inspection, counted(inspection, inner), inner.size, about.path, async () => {})
  const head = await source.read(0, headSize)
  await examineContent(inspection, { ...about, size: source.size, head, source })
}

/** A packed content is kept while the engine reads it, and unpacked once more should it turn out to hold another one. */
async function examineUnpacked(inspection: Inspection, about: About, inner: Inner): Promise<void> {
  const isWanted = (head: Buffer) => {
    const kind = sniff(head)
    return isOpened(kind) || kind?.family === 'image' || wantsAll(about, kind, head)
  }
  await using keeper = new Keeper(inspection, isWanted)
  await askEngine(inspection, counted(inspection, inner), inner.size, about.path, (chunk) => keeper.add(chunk))
  if (!keeper.mayHoldArchive) {
    await examineContent(inspection, { ...about, size: keeper.size, ...(await keeper.finish()) })
    return
  }
  await using again = new Keeper(inspection, () => true)
  for await (const chunk of inner.open()) await again.add(chunk)
  await examineContent(inspection, { ...about, size: again.size, ...(await again.finish()) })
}

async function* counted(inspection: Inspection, inner: Inner): AsyncGenerator<Buffer> {
  for await (const chunk of inner.open()) {
    inspection.unpack(chunk.length)
    yield chunk
  }
}

/** Whether a content is an archive that is opened here. */
export const isOpened = (kind: Kind | null): boolean => openers[kind?.type ?? ''] !== undefined
