import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { threadPool } from '#lib/threads.ts'
import type { UnreadReason } from '#sql/identity/readings.ts'
import type { DocumentReader, DocumentReading } from '#tasks/identity/engine.ts'
import { isSound, type Mrz, parseMrz, passedOf } from '#tasks/identity/rules/mrz/parse.ts'
import type { Scratch } from '#tasks/video/pools.ts'
import type { work as cutOut } from './cut-thread.ts'
import { isFiller } from './filler.ts'
import type { work as look, Place } from './look-thread.ts'
import type { Grey } from './picture.ts'
import { decode, isPicture, lacksReader, recognise } from './programs.ts'
import { transcribe } from './transcript.ts'

/** Pixels of the shorter side at least: less holds no lines that could be read. */
const minSide = 320

/** Pixels from one character to the next: at least to be read, and those at which lines are recognised best, one after the other. */
const leastPitch = 7
const pitches = [26, 36]

/** Characters of the longest line: with fewer, as cards have, each is wider. */
const longestLine = 44

/** Recognitions of one picture. */
const mostRuns = 12

/**
 * Milliseconds for all recognitions of one picture, and for each. Lines take a second or two, a picture of nothing but strokes half
 * a minute each.
 */
const usual = { allMs: 30_000, eachMs: 12_000 }

/** Below this part of steep strokes a picture is out of focus. */
const sharp = 0.12

/** Bytes of what is made of a picture: its shades of grey, and the lines that are recognised. */
const madeBytes = 16 * 2 ** 20

/** What looking for lines, or cutting some out, may take: a picture of noise takes a second of a thread. */
const limits = { threads: 2, seconds: 10, megabytes: 256 }

/** Reads documents: finds where the lines are, and has their characters recognised, both ways up. */
export function createDocumentReader(
  scratch: Pick<Scratch, 'attempt'>,
  { allMs, eachMs } = usual,
): DocumentReader & { close(): Promise<void> } {
  const looking = threadPool<typeof look>(new URL('./look-thread.ts', import.meta.url), limits)
  const cutting = threadPool<typeof cutOut>(new URL('./cut-thread.ts', import.meta.url), limits)
  return {
    async read({ bytes, type }, signal): Promise<DocumentReading> {
      const begun = performance.now()
      if (!isPicture(type)) return { reason: 'format_not_read' }
      if (await lacksReader()) return { reason: 'reader_unavailable' }
      await using folder = await scratch.attempt(bytes.length + madeBytes)
      await writeFile(join(folder.path, 'picture'), bytes, { mode: 0o600 })
      const picture = await decode(folder.path, type, signal)
      if (typeof picture === 'string') return { reason: picture }
      if (Math.min(picture.width, picture.height) < minSide) return { reason: 'too_small' }
      return await readPicture({
        found: await looking.run(picture, signal),
        cutOut: (part) => cutting.run({ picture, ...part }, signal),
        async recogniseLines(lines) {
          const left = Math.min(eachMs, begun + allMs - performance.now())
          return left > 0 ? await readLines(folder.path, lines, left, signal) : null
        },
        isOver: () => performance.now() > begun + allMs,
      })
    },
    close: () => Promise.all([looking.close(), cutting.close()]).then(() => {}),
  }
}

/** What stands in lines, null where that takes too long; a letter that is a filler by its shape is one. */
async function readLines(folder: string, lines: Grey, mostMs: number, signal: AbortSignal): Promise<string[] | null> {
  const glyphs = await recognise(folder, lines, mostMs, signal)
  if (!glyphs) return null
  const isLetter = (character: string) => character >= 'A' && character <= 'Z'
  return transcribe(
    glyphs.map((one) => (isLetter(one.character) && isFiller(lines, one) ? { ...one, character: '<' } : one)),
  )
}

/** A picture on which it was looked for lines, and what is done to read them. */
interface Looked {
  found: ReturnType<typeof look>
  cutOut(part: Omit<Parameters<typeof cutOut>[0], 'picture'>): Promise<Grey[]>
  /** Null for what takes too long. */
  recogniseLines(lines: Grey): Promise<string[] | null>
  /** Whether the picture has had its time. */
  isOver(): boolean
}

async function readPicture({ found, cutOut, recogniseLines, isOver }: Looked): Promise<DocumentReading> {
  const { places, sharpness } = found
  const large = places.filter(({ band }) => band.length / longestLine >= leastPitch)
  let best: Mrz | null = null
  let seen = false
  for await (const lines of triesOf(large, cutOut, isOver)) {
    const read = await recogniseLines(lines)
    seen ||= read === null || read.some(isLikely)
    for (const some of linesTogether(read ?? [])) {
      const mrz = parseMrz(some)
      if (mrz && (best === null || passedOf(mrz) > passedOf(best))) best = mrz
    }
    if (best && isSound(best)) break
  }
  if (best) return best
  return { reason: whyNot({ seen, isSmall: places.length > 0 && large.length === 0, sharpness }) }
}

function whyNot(found: { seen: boolean; isSmall: boolean; sharpness: number }): UnreadReason {
  if (found.sharpness < sharp) return 'blurred'
  if (found.seen) return 'unclear'
  return found.isSmall ? 'too_small' : 'no_lines'
}

/** What is recognised, one after the other: each is cut out when its turn has come, as the first is mostly the last. */
async function* triesOf(
  places: readonly Place[],
  cutOut: Looked['cutOut'],
  isOver: Looked['isOver'],
): AsyncGenerator<Grey> {
  let runs = 0
  for (const { isTurned, band } of places) {
    for (const pitch of pitches) {
      const scale = Math.min(4, pitch / (band.length / longestLine))
      for (const lines of await cutOut({ isTurned, region: band.region, scale })) {
        yield lines
        if (++runs === mostRuns || isOver()) return
      }
    }
  }
}

/** Fillers of which a line of the zone has some, and text hardly any. */
const isLikely = (line: string): boolean => line.length > 24 && line.split('<').length > 3

/** Lines that follow each other and may be a zone of two lines, or of three. */
const linesTogether = (read: readonly string[]): string[][] =>
  [2, 3].flatMap((count) => read.slice(0, Math.max(0, read.length - count + 1)).map((_, i) => read.slice(i, i + count)))
