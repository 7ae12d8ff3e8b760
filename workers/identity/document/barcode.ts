import { ThreadLimitError } from '#lib/threads.ts'
import type { DocumentReading } from '#tasks/identity/engine.ts'
import { compareWithLines } from '#tasks/identity/rules/aamva/compare.ts'
import { type Licence, parseLicence } from '#tasks/identity/rules/aamva/parse.ts'

/** Timeouts of the search for a barcode in milliseconds. An image without a barcode takes one second. */
export const barcodeMs = { fast: 3_000, thorough: 6_000 }

/** Limits of the search. A single attempt on an image of noise takes two seconds. */
export const barcodeLimits = { threads: 2, seconds: 15, megabytes: 256 }

/** Timeouts of reading lines next to a licence, or to a barcode with other data. The bars look like dense lines. */
const linesMs = { licence: 4_000, other: 10_000, none: Number.POSITIVE_INFINITY }

interface Search {
  /** Returns the text of a barcode, or `null` if none was read. */
  hunt(effort: keyof typeof barcodeMs): Promise<string | null>
  /** Reads the machine-readable lines, in at most this time in milliseconds. */
  readLines(mostMs: number): Promise<DocumentReading>
}

/** Reads the barcode of a licence and the lines of an image. The thorough search follows if nothing was found. */
export async function readBarcodeAndLines({ hunt, readLines }: Search): Promise<DocumentReading> {
  const found = await hunt('fast')
  const licence = found === null ? null : parseLicence(found)
  const lines = await readLines(linesMs[licence ? 'licence' : found === null ? 'none' : 'other'])
  if (licence) return 'reason' in lines ? licence : addLines(licence, lines)
  if (!('reason' in lines)) return lines
  const text = found ?? (await hunt('thorough'))
  if (text === null) return lines
  return parseLicence(text) ?? { reason: 'barcode_malformed' }
}

const addLines = (licence: Licence, lines: Licence): Licence => ({
  facts: licence.facts,
  checks: [...licence.checks, compareWithLines(licence.facts, lines.facts)],
})

/** Returns `null` if the search exceeds a limit of its thread. */
export async function withinLimits(search: Promise<string | null>): Promise<string | null> {
  try {
    return await search
  } catch (error) {
    if (error instanceof ThreadLimitError && (error.limit === 'time' || error.limit === 'memory')) return null
    throw error
  }
}
