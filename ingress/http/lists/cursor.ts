import { hash } from 'node:crypto'
import type { z } from 'zod'
import { canonicalJson } from '#lib/canonical.ts'
import { badRequest } from '#lib/errors.ts'

interface Listing {
  operation: string
  params: unknown
  query: { limit?: unknown; cursor?: string | undefined }
}

const digestLength = 8

export const encodeCursor = (listing: Listing, key: unknown): string =>
  Buffer.from(digestOf(listing) + JSON.stringify(key)).toString('base64url')

/** Returns the position in the query’s cursor. Throws 400 if the cursor belongs to another list or filter. */
export function decodeCursor<S extends z.ZodType>(schema: S, listing: Listing): z.output<S> | undefined {
  const { cursor } = listing.query
  if (cursor === undefined) return undefined
  const text = Buffer.from(cursor, 'base64url').toString()
  const key = schema.safeParse(parsed(text.slice(digestLength)))
  if (!key.success) throw badRequest([{ field: 'query.cursor', issue: 'must be a `next_cursor` of this list' }])
  if (!text.startsWith(digestOf(listing)))
    throw badRequest([{ field: 'query.cursor', issue: 'must be a `next_cursor` of this list with the same filter' }])
  return key.data
}

function digestOf({ operation, params, query: { limit: _, cursor: __, ...filter } }: Listing): string {
  return hash('sha256', canonicalJson([operation, params ?? null, filter]), 'base64url').slice(0, digestLength)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
