import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UnreadReason } from '#sql/identity/readings.ts'
import type { DocumentReader, DocumentReading } from '#tasks/identity/engine.ts'
import { isSound, type Mrz, parseMrz, passedOf } from '#tasks/identity/rules/mrz/parse.ts'
import type { Scratch } from '#tasks/video/pools.ts'
import { type Band, lookForBands } from './bands.ts'
import { isFiller } from './filler.ts'
import { cut, type Grey, halfTurned, quarterTurned } from './picture.ts'
import { decode, isPicture, lacksReader, recognise } from './programs.ts'
import { transcribe } from './transcript.ts'

/** Pixels of the shorter side at least: less holds no lines that could be read. */
const minSide = 320

/** Pixels from one character to the next: at least to be read, and those at which lines are recognised best, one after the other. */
const leastPitch = 7
const pitches = [26, 36]

/** Characters of the longest line: with fewer, as cards have, each is wider. */
const longestLine = 44

/** Places looked at for each of the two ways round that a picture's lines may run, and recognitions of one picture. */
const [mostBands, mostRuns] = [3, 12]

/** Below this part of steep strokes a picture is out of focus. */
const sharp = 0.12

/** Bytes that a picture may have. */
const maxBytes = 10 * 1024 * 1024

/** Reads documents: finds where the lines are, and has their characters recognised, both ways up. */
export function createDocumentReader(scratch: Pick<Scratch, 'attempt'>): DocumentReader {
  return {
    async read({ bytes, type }, signal): Promise<DocumentReading> {
      if (!isPicture(type)) return { reason: 'format_not_read' }
      if (bytes.length > maxBytes) return { reason: 'too_many_pixels' }
      if (await lacksReader()) return { reason: 'reader_unavailable' }
      await using folder = await scratch.attempt(2 * maxBytes)
      await writeFile(join(folder.path, 'picture'), bytes, { mode: 0o600 })
      const picture = await decode(folder.path, type, signal)
      if (typeof picture === 'string') return { reason: picture }
      if (Math.min(picture.width, picture.height) < minSide) return { reason: 'too_small' }
      return await readPicture(picture, (lines) => readLines(folder.path, lines, signal))
    },
  }
}

/** What stands in lines; a letter that is a filler by its shape is one. */
async function readLines(folder: string, lines: Grey, signal: AbortSignal): Promise<string[]> {
  const glyphs = await recognise(folder, lines, signal)
  const isLetter = (character: string) => character >= 'A' && character <= 'Z'
  return transcribe(
    glyphs.map((one) => (isLetter(one.character) && isFiller(lines, one) ? { ...one, character: '<' } : one)),
  )
}

type Recognise = (lines: Grey) => Promise<string[]>

interface Place {
  picture: Grey
  band: Band
}

async function readPicture(upright: Grey, recogniseLines: Recognise): Promise<DocumentReading> {
  const ways = [upright, quarterTurned(upright)].map((picture) => ({ picture, look: lookForBands(picture) }))
  const places = ways
    .flatMap(({ picture, look }) => look.bands.slice(0, mostBands).map((band) => ({ picture, band })))
    .sort((a, b) => b.band.score - a.band.score)
  const large = places.filter(({ band }) => band.length / longestLine >= leastPitch)
  let best: Mrz | null = null
  let seen = false
  for (const lines of triesOf(large)) {
    const read = await recogniseLines(lines)
    seen ||= read.some(isLikely)
    for (const some of linesTogether(read)) {
      const mrz = parseMrz(some)
      if (mrz && (best === null || passedOf(mrz) > passedOf(best))) best = mrz
    }
    if (best && isSound(best)) break
  }
  if (best) return best
  const sharpness = Math.max(...ways.map(({ look }) => look.sharpness))
  return { reason: whyNot({ seen, isSmall: places.length > 0 && large.length === 0, sharpness }) }
}

function whyNot(found: { seen: boolean; isSmall: boolean; sharpness: number }): UnreadReason {
  if (found.sharpness < sharp) return 'blurred'
  if (found.seen) return 'unclear'
  return found.isSmall ? 'too_small' : 'no_lines'
}

/** What is recognised, one after the other: each is cut out when its turn has come, as the first is mostly the last. */
function* triesOf(places: readonly Place[]): Generator<Grey> {
  let runs = 0
  for (const place of places) {
    for (const pitch of pitches) {
      for (const lines of bothWaysUp(place, pitch)) {
        if (runs++ === mostRuns) return
        yield lines
      }
    }
  }
}

/** What is cut out of a place, as it stands and turned by half. */
function bothWaysUp({ picture, band }: Place, pitch: number): Grey[] {
  const scale = Math.min(4, pitch / (band.length / longestLine))
  const lines = cut(picture, band.region, scale)
  return [lines, halfTurned(lines)]
}

/** Fillers of which a line of the zone has some, and text hardly any. */
const isLikely = (line: string): boolean => line.length > 24 && line.split('<').length > 3

/** Lines that follow each other and may be a zone of two lines, or of three. */
const linesTogether = (read: readonly string[]): string[][] =>
  [2, 3].flatMap((count) => read.slice(0, Math.max(0, read.length - count + 1)).map((_, i) => read.slice(i, i + count)))
