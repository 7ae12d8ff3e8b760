import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Float4 } from '#lib/input-types.ts'
import type { DatabasePool } from '#sql/db.ts'
import {
  type CompanyMatch,
  type Filter,
  findByLegalForm,
  findByPrefix,
  findExact,
  findSimilar,
  orTimedOut,
} from '#sql/erp/search.ts'
import { compact, listPossibleCodes } from '#tasks/erp/rules/codes.ts'
import { isLegalForm, normaliseName } from '#tasks/erp/rules/company-name.ts'

const steps = { exact: 0, prefix: 1, fuzzy: 2 } as const

type Step = (typeof steps)[keyof typeof steps]

/** Minimum length of a text for a fuzzy search. Shorter texts have no trigram. */
const fewestForFuzzy = 3

const noNul = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

export const SearchPlace = z
  .tuple([z.literal([0, 1, 2]), Float4, z.string().refine(noNul), Id])
  .transform(([step, score, name_norm, id]) => ({ step, after: { score, name_norm, id } }))

export type FoundCompany = readonly [Step, CompanyMatch]

export interface Search {
  /** Found companies. If there are more, the list has one more than requested. */
  found: readonly FoundCompany[]
  complete: boolean
}

/**
 * Finds companies with this code, VAT number or LEI. If there are none, finds names that start with the text and then,
 * up to the limit, similar names.
 */
export async function searchCompanies(
  db: DatabasePool,
  {
    q,
    filter,
    place,
    limit,
  }: { q: string; filter: Filter; place: z.output<typeof SearchPlace> | undefined; limit: number },
): Promise<Search> {
  const { step = steps.exact, after } = place ?? {}
  const found: FoundCompany[] = []
  const add = (of: Step, more: readonly CompanyMatch[]) => found.push(...more.map((one) => [of, one] as const))
  // Requests one more than the page holds, to see whether another page follows.
  const stepFrom = (of: number) => ({ filter, after: step === of ? after : undefined, limit: limit + 1 - found.length })
  if (step === steps.exact && q !== '') {
    const same = await findExact(db, [...new Set([...listPossibleCodes(q), compact(q)])], filter)
    add(steps.exact, same.slice(same.findIndex(({ id }) => id === after?.id) + 1))
    if (same.length > 0) return { found, complete: true }
  }
  const name = normaliseName(q)
  // A text that contains only punctuation has no name to search for.
  let complete = true
  if ((q === '' || name !== '') && step <= steps.prefix) {
    const begins = await orTimedOut(findByPrefix(db, name, stepFrom(steps.prefix)))
    complete = begins !== null
    add(steps.prefix, begins ?? [])
  }
  if (complete && name.length >= fewestForFuzzy && found.length <= limit) {
    const likes = await (isLegalForm(name) ? findByLegalForm : findSimilar)(db, name, stepFrom(steps.fuzzy))
    complete = likes.complete
    add(steps.fuzzy, likes.found)
  }
  return { found, complete }
}

export const placeAfter = ([step, { score, name_norm, id }]: FoundCompany): z.input<typeof SearchPlace> => [
  step,
  score,
  name_norm,
  id,
]
