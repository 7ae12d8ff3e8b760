import { hash } from 'node:crypto'
import type { z } from 'zod'
import { canonical } from '#lib/canonical.ts'
import { badRequest } from '#lib/errors.ts'

/** What a list is read by: its operation, and what of the request chooses its rows and their order. */
interface Listing {
  operation: string
  params: unknown
  query: { limit?: unknown; cursor?: string | undefined }
}

/** Letters of a digest, of 64 each: by chance one filter in 2^48 passes for another. */
const digestLength = 8

/** The cursor that stands for a place in a list, good for the same list by the same filter. */
export const cursorOf = (listing: Listing, key: unknown): string =>
  Buffer.from(digestOf(listing) + JSON.stringify(key)).toString('base64url')

/** The place that the query's cursor stands for; throws 400 for one that this list did not give out by this filter. */
export function placeIn<S extends z.ZodType>(schema: S, listing: Listing): z.output<S> | undefined {
  const { cursor } = listing.query
  if (cursor === undefined) return undefined
  const text = Buffer.from(cursor, 'base64url').toString()
  const key = schema.safeParse(parsed(text.slice(digestLength)))
  if (!key.success) throw badRequest([{ field: 'query.cursor', issue: 'is not a cursor that a list gave out' }])
  if (!text.startsWith(digestOf(listing)))
    throw badRequest([{ field: 'query.cursor', issue: 'was given out by another list, or for another filter' }])
  return key.data
}

/** How many rows a page has makes no difference to where it begins. */
function digestOf({ operation, params, query: { limit: _, cursor: __, ...filter } }: Listing): string {
  return hash('sha256', canonical([operation, params ?? null, filter]), 'base64url').slice(0, digestLength)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
