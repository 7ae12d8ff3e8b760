import type { ParsedUrlQuery } from 'node:querystring'
import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'

/** The playlists that delivery directives are for: of what the encoder sends, and of renditions. */
const isMediaPlaylist = (file: string) => file.startsWith('live') && file.endsWith('.m3u8')

const whole = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
  .optional()

const Directives = z
  .object({ _HLS_msn: whole, _HLS_part: whole })
  .refine(({ _HLS_msn: msn, _HLS_part: part }) => msn !== undefined || part === undefined)

/** 400: a playlist cannot be asked for so. */
export const badDirectives = () =>
  badRequest([
    {
      field: 'query._HLS_msn',
      issue: 'must be a whole number that is not too far ahead of the playlist. The same applies to `_HLS_part`.',
    },
  ])

/** The path and query by which a file is asked for: requests that mean the same are the same text (RFC 8216bis 6.2.5). Throws 400. */
export function canonicalFile(file: string, query: ParsedUrlQuery): string {
  if (!isMediaPlaylist(file)) return file
  const parsed = Directives.safeParse(query)
  if (!parsed.success) throw badDirectives()
  const { _HLS_msn: msn, _HLS_part: part } = parsed.data
  const meant = [
    ...(msn === undefined ? [] : [`_HLS_msn=${msn}`]),
    ...(part === undefined ? [] : [`_HLS_part=${part}`]),
    // `v2` asks for date ranges to be left out, too, of which there are none.
    ...(query._HLS_skip === 'YES' || query._HLS_skip === 'v2' ? ['_HLS_skip=YES'] : []),
  ]
  return meant.length > 0 ? `${file}?${meant.join('&')}` : file
}

/** Whether an origin may let a request wait for what is to come. */
export const mayBlock = (file: string): boolean => /[?&]_HLS_msn=|-p\d+\.m4s$/.test(file)
