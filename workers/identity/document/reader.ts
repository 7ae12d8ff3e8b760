import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { threadPool } from '#lib/threads.ts'
import type { UnreadReason } from '#sql/identity/readings.ts'
import type { DocumentReader, DocumentReading } from '#tasks/identity/engine.ts'
import { countPassed, isSound, type Mrz, parseMrz } from '#tasks/identity/rules/mrz/parse.ts'
import type { Scratch } from '#tasks/video/pools.ts'
import { barcodeLimits, barcodeMs, readBarcodeAndLines, withinLimits } from './barcode.ts'
import type { work as hunt } from './barcode-thread.ts'
import type { work as cutOut } from './cut-thread.ts'
import { isFiller } from './filler.ts'
import type { work as look, Place } from './look-thread.ts'
import type { Grey } from './picture.ts'
import { decode, findMissingReader, isReadableType, recognise } from './programs.ts'
import { transcribe } from './transcript.ts'

/** Minimum length in pixels of the shorter side. Smaller images contain no readable lines. */
const minSide = 320

/** Minimum width of a character in pixels, and the widths that are recognised best, in order. */
const leastPitch = 7
const pitches = [26, 36]

/** Number of characters in the longest line. Lines of cards have fewer and wider characters. */
const longestLine = 44

const mostRuns = 12

/**
 * Timeouts in milliseconds for all recognitions of an image, and for each. Lines take one or two seconds. Dense strokes
 * take half a minute.
 */
const usual = { allMs: 30_000, eachMs: 12_000 }

/** Minimum share of sharp strokes. Below it, an image is out of focus. */
const sharp = 0.12

/** Maximum size in bytes of the derived data of an image: its shades of grey and the recognised lines. */
const madeBytes = 16 * 2 ** 20

/** Limits for finding and cutting lines. An image of noise takes one second. */
const limits = { threads: 2, seconds: 10, megabytes: 256 }

export function createDocumentReader(
  scratch: Pick<Scratch, 'attempt'>,
  { allMs, eachMs } = usual,
): DocumentReader & { close(): Promise<void> } {
  const looking = threadPool<typeof look>(new URL('./look-thread.ts', import.meta.url), limits)
  const barcodes = threadPool<typeof hunt>(new URL('./barcode-thread.ts', import.meta.url), barcodeLimits)
  const cutting = threadPool<typeof cutOut>(new URL('./cut-thread.ts', import.meta.url), limits)
  return {
    async read({ bytes, type }, signal): Promise<DocumentReading> {
      const begun = performance.now()
      if (!isReadableType(type)) return { reason: 'format_not_read' }
      if (await findMissingReader()) return { reason: 'reader_unavailable' }
      await using folder = await scratch.attempt(bytes.length + madeBytes)
      await writeFile(join(folder.path, 'picture'), bytes, { mode: 0o600 })
      const picture = await decode(folder.path, type, signal)
      if (typeof picture === 'string') return { reason: picture }
      if (Math.min(picture.width, picture.height) < minSide) return { reason: 'too_small' }
      return await readBarcodeAndLines({
        hunt: (effort) => withinLimits(barcodes.run({ picture, effort, mostMs: barcodeMs[effort] }, signal)),
        async readLines(mostMs) {
          const end = Math.min(begun + allMs, performance.now() + mostMs)
          return await readPicture({
            found: await looking.run(picture, signal),
            cutOut: (part) => cutting.run({ picture, ...part }, signal),
            async recogniseLines(lines) {
              const left = Math.min(eachMs, end - performance.now())
              return left > 0 ? await readLines(folder.path, lines, left, signal) : null
            },
            isOver: () => performance.now() > end,
          })
        },
      })
    },
    close: () => Promise.all([looking.close(), cutting.close(), barcodes.close()]).then(() => {}),
  }
}

/**
 * Returns the text of lines, or `null` if recognition takes too long. Letters with the shape of a filler become
 * fillers.
 */
async function readLines(folder: string, lines: Grey, mostMs: number, signal: AbortSignal): Promise<string[] | null> {
  const glyphs = await recognise(folder, lines, mostMs, signal)
  if (!glyphs) return null
  const isLetter = (character: string) => character >= 'A' && character <= 'Z'
  return transcribe(
    glyphs.map((one) => (isLetter(one.character) && isFiller(lines, one) ? { ...one, character: '<' } : one)),
  )
}

interface Looked {
  found: ReturnType<typeof look>
  cutOut(part: Omit<Parameters<typeof cutOut>[0], 'picture'>): Promise<Grey[]>
  /** Returns `null` if recognition takes too long. */
  recogniseLines(lines: Grey): Promise<string[] | null>
  /** True if the time limit of the image is reached. */
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
      if (mrz && (best === null || countPassed(mrz) > countPassed(best))) best = mrz
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

/** Yields attempts in sequence. Each part is cut out only when needed, because the first part is usually enough. */
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

/**
 * True if the line probably belongs to the zone. Lines of the zone contain several fillers. Other text contains almost
 * none.
 */
const isLikely = (line: string): boolean => line.length > 24 && line.split('<').length > 3

const linesTogether = (read: readonly string[]): string[][] =>
  [2, 3].flatMap((count) => read.slice(0, Math.max(0, read.length - count + 1)).map((_, i) => read.slice(i, i + count)))
