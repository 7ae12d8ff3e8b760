import { z } from 'zod'
import { codesIn, compact } from '#lib/erp/codes.ts'
import { normalName } from '#lib/erp/company-name.ts'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { Float4 } from '#lib/input-types.ts'
import type { DatabasePool } from '#sql/db.ts'
import { exact, type Filter, type Found, fuzzy, type Place, prefix } from '#sql/erp/search.ts'

/** The steps of a search: codes; names that begin so; names with words like these. */
const steps = { exact: 0, prefix: 1, fuzzy: 2 } as const

/** Fewer letters have no trigram of their own. */
const fewestForFuzzy = 3

const Cursor = z.tuple([z.literal([0, 1, 2]), Float4, z.string(), Id])

/** A page of what a search has found. */
export interface Page {
  found: readonly Found[]
  /** Where the next page begins; null on the last one. */
  next: string | null
}

/**
 * Companies with this code, VAT number or LEI; when there are none, those whose names begin so, and then, as far as these leave
 * room, those with words like these.
 */
export async function searchCompanies(
  db: DatabasePool,
  { q, filter, cursor, limit }: { q: string; filter: Filter; cursor: string | undefined; limit: number },
): Promise<Page> {
  const [step, after] = read(cursor)
  const found: [number, Found][] = []
  const add = (of: number, more: readonly Found[]) => found.push(...more.map((one) => [of, one] as [number, Found]))
  // One more than the page holds, by which it is seen whether another follows.
  const stepFrom = (of: number) => ({ filter, after: step === of ? after : undefined, limit: limit + 1 - found.length })
  if (step === steps.exact && q !== '') {
    const same = await exact(db, [...new Set([...codesIn(q), compact(q)])], filter)
    add(steps.exact, same.slice(same.findIndex(({ id }) => id === after?.id) + 1))
    if (same.length > 0) return pageOf(found, limit)
  }
  const name = normalName(q)
  // A search of nothing but marks has no name to go by.
  if ((q === '' || name !== '') && step <= steps.prefix)
    add(steps.prefix, await prefix(db, name, stepFrom(steps.prefix)))
  if (name.length >= fewestForFuzzy && found.length <= limit)
    add(steps.fuzzy, await fuzzy(db, name, stepFrom(steps.fuzzy)))
  return pageOf(found, limit)
}

function pageOf(found: readonly [number, Found][], limit: number): Page {
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
