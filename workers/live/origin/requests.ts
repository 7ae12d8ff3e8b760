import type { Timeline } from './timeline.ts'
import { targetDuration } from './timeline.ts'

/** Delivery directives of a playlist request (RFC 8216bis 6.2.5). */
export interface Directives {
  msn: number | undefined
  part: number | undefined
  skip: boolean
}

/**
 * Maximum time in milliseconds that a request is blocked: three target durations. After that, the response is 503
 * (6.2.5.2).
 */
export const longestBlock = 3000 * targetDuration

/** Returns undefined for invalid directives. The response is then 400. */
export function readDirectives(query: URLSearchParams): Directives | undefined {
  const msn = whole(query.get('_HLS_msn'))
  const part = whole(query.get('_HLS_part'))
  const skip = query.get('_HLS_skip')
  if (msn === null || part === null) return undefined
  // A part without a media sequence number is a bad request (6.2.5.2).
  if (part !== undefined && msn === undefined) return undefined
  return { msn, part, skip: skip === 'YES' || skip === 'v2' }
}

function whole(text: string | null): number | undefined | null {
  if (text === null) return undefined
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** True if a playlist contains the requested segment or part, or a later one. */
export function isAvailable({ segments, ended }: Timeline, { msn, part }: Directives): boolean {
  const last = segments.at(-1)
  if (ended) return true
  if (!last) return false
  if (msn === undefined || msn < last.msn) return true
  if (msn > last.msn) return false
  if (last.done) return part === undefined || part < last.parts.length
  return part !== undefined && part < last.parts.length
}

/** True if a request is for a part after the next possible part. The response is then 400 immediately (6.2.5.2). */
export function isTooFar({ segments, partTarget, ended }: Timeline, { msn, part }: Directives): boolean {
  const last = segments.at(-1)
  if (!last || msn === undefined || ended) return false
  if (msn > (last.done ? last.msn : last.msn - 1) + 2) return true
  // Advance Part Limit (6.2.5.2).
  const limit = Math.ceil(partTarget < 1 ? 3 / partTarget : 3)
  const known = msn === last.msn ? last.parts.length : 0
  return msn >= last.msn && part !== undefined && part >= known + limit
}
