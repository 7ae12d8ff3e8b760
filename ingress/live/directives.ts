import type { ParsedUrlQuery } from 'node:querystring'
import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'

const isMediaPlaylist = (file: string) => file.startsWith('live') && file.endsWith('.m3u8')

const whole = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
  .optional()

const Directives = z
  .object({ _HLS_msn: whole, _HLS_part: whole })
  .refine(({ _HLS_msn: msn, _HLS_part: part }) => msn !== undefined || part === undefined)

export const invalidDirectives = () =>
  badRequest([
    {
      field: 'query._HLS_msn',
      issue: 'must be a whole number that is not too far ahead of the playlist. The same applies to `_HLS_part`.',
    },
  ])

/**
 * Returns path and query of a file in canonical form, so that equivalent requests have equal strings (RFC 8216bis
 * 6.2.5). Throws 400 for invalid directives.
 */
export function canonicalFile(file: string, query: ParsedUrlQuery): string {
  if (!isMediaPlaylist(file)) return file
  const parsed = Directives.safeParse(query)
  if (!parsed.success) throw invalidDirectives()
  const { _HLS_msn: msn, _HLS_part: part } = parsed.data
  const meant = [
    ...(msn === undefined ? [] : [`_HLS_msn=${msn}`]),
    ...(part === undefined ? [] : [`_HLS_part=${part}`]),
    // `v2` also skips date ranges. Millrace has no date ranges, so `v2` has the same effect as `YES`.
    ...(query._HLS_skip === 'YES' || query._HLS_skip === 'v2' ? ['_HLS_skip=YES'] : []),
  ]
  return meant.length > 0 ? `${file}?${meant.join('&')}` : file
}

/** True if an origin can delay the response until a future part exists. */
export const canBlock = (file: string): boolean => /[?&]_HLS_msn=|-p\d+\.m4s$/.test(file)
