import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Float4 } from '#lib/input-types.ts'
import type { DatabasePool } from '#sql/db.ts'
import { alike, type CompanyMatch, exact, type Filter, ofForm, orTooBroad, prefix } from '#sql/erp/search.ts'
import { codesIn, compact } from '#tasks/erp/rules/codes.ts'
import { isLegalForm, normalName } from '#tasks/erp/rules/company-name.ts'

/** The steps of a search: codes; names that begin so; names with words like these. */
const steps = { exact: 0, prefix: 1, fuzzy: 2 } as const

type Step = (typeof steps)[keyof typeof steps]

/** Fewer letters have no trigram of their own. */
const fewestForFuzzy = 3

const noNul = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Where a page begins: the step, and the row before it. */
export const Place = z
  .tuple([z.literal([0, 1, 2]), Float4, z.string().refine(noNul), Id])
  .transform(([step, score, name_norm, id]) => ({ step, after: { score, name_norm, id } }))

/** What a search has found: a company, and the step that found it. */
export type Found = readonly [Step, CompanyMatch]

/** What a search has found from a place on. */
export interface Search {
  /** Companies, one more than were asked for where others follow. */
  found: readonly Found[]
  /** Whether all that fits was looked for: a common word's companies are more than can be looked through. */
  complete: boolean
}

/**
 * Companies with this code, VAT number or LEI; when there are none, those whose names begin so, and then, as far as these leave
 * room, those with words like these.
 */
export async function searchCompanies(
  db: DatabasePool,
  { q, filter, place, limit }: { q: string; filter: Filter; place: z.output<typeof Place> | undefined; limit: number },
): Promise<Search> {
  const { step = steps.exact, after } = place ?? {}
  const found: Found[] = []
  const add = (of: Step, more: readonly CompanyMatch[]) => found.push(...more.map((one) => [of, one] as const))
  // One more than the page holds, by which it is seen whether another follows.
  const stepFrom = (of: number) => ({ filter, after: step === of ? after : undefined, limit: limit + 1 - found.length })
  if (step === steps.exact && q !== '') {
    const same = await exact(db, [...new Set([...codesIn(q), compact(q)])], filter)
    add(steps.exact, same.slice(same.findIndex(({ id }) => id === after?.id) + 1))
    if (same.length > 0) return { found, complete: true }
  }
  const name = normalName(q)
  // A search of nothing but marks has no name to go by.
  let complete = true
  if ((q === '' || name !== '') && step <= steps.prefix) {
    const begins = await orTooBroad(prefix(db, name, stepFrom(steps.prefix)))
    complete = begins !== null
    add(steps.prefix, begins ?? [])
  }
  if (complete && name.length >= fewestForFuzzy && found.length <= limit) {
    const likes = await (isLegalForm(name) ? ofForm : alike)(db, name, stepFrom(steps.fuzzy))
    complete = likes.complete
    add(steps.fuzzy, likes.found)
  }
  return { found, complete }
}

/** Where a page begins that follows a company, as `Place` reads it. */
export const placeAfter = ([step, { score, name_norm, id }]: Found): z.input<typeof Place> => [
  step,
  score,
  name_norm,
  id,
]
