import { z } from 'zod'
import { codesIn, compact } from '#lib/erp/codes.ts'
import { normalName } from '#lib/erp/company-name.ts'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { exact, type Filter, type Found, fuzzy, type Place, prefix } from '#sql/erp/search.ts'

/** The steps of a search: codes; names that begin so; names with words like these. */
const steps = { exact: 0, prefix: 1, fuzzy: 2 } as const

/** Fewer letters have no trigram of their own. */
const fewestForFuzzy = 3

const Cursor = z.tuple([z.literal([0, 1, 2]), z.number(), z.string(), Id])

/** A page of what a search has found. */
export interface Page {
  found: readonly Found[]
  /** Where the next page begins; null on the last one. */
  next: string | null
}

/** Companies with this code, VAT number or LEI, then those whose names begin so, then those with words like these. */
export async function searchCompanies(
  db: DatabasePool,
  { q, filter, cursor, limit }: { q: string; filter: Filter; cursor: string | undefined; limit: number },
): Promise<Page> {
  const [step, after] = read(cursor)
  const name = normalName(q)
  const same = q === '' ? [] : await exact(db, [...codesIn(q), compact(q)], filter)
  const but = same.map(({ id }) => id)
  const found: [number, Found][] = []
  const begin = after === undefined || step > steps.exact ? 0 : but.indexOf(after.id) + 1
  if (step === steps.exact) found.push(...same.slice(begin).map((one) => [steps.exact, one] as [number, Found]))
  // One more than the page holds, by which it is seen whether another follows.
  const lacking = () => limit + 1 - found.length
  const add = (of: number, more: readonly Found[]) => found.push(...more.map((one) => [of, one] as [number, Found]))
  const placeIn = (of: number) => (step === of ? after : undefined)
  // A search of nothing but marks has no name to go by.
  const byName = q === '' || name !== ''
  if (byName && step <= steps.prefix && lacking() > 0)
    add(steps.prefix, await prefix(db, name, { filter, but, after: placeIn(steps.prefix), limit: lacking() }))
  if (name.length >= fewestForFuzzy && lacking() > 0)
    add(steps.fuzzy, await fuzzy(db, name, { filter, but, after: placeIn(steps.fuzzy), limit: lacking() }))
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  return { found: shown.map(([, one]) => one), next: last ? cursorOf(...last) : null }
}

const cursorOf = (step: number, { score, name_norm, id }: Found): string =>
  Buffer.from(JSON.stringify([step, score, name_norm, id])).toString('base64url')

/** The place that a cursor stands for; throws 400 for one that no list gave out. */
function read(cursor: string | undefined): [number, Place | undefined] {
  if (cursor === undefined) return [steps.exact, undefined]
  const parsed = Cursor.safeParse(parse(Buffer.from(cursor, 'base64url').toString()))
  if (!parsed.success || parsed.data[2].includes('\0'))
    throw badRequest([{ field: 'query.cursor', issue: 'is not a cursor that a list gave out' }])
  const [step, score, name_norm, id] = parsed.data
  return [step, { score, name_norm, id }]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
