import type { MediaPlaylist } from './media-playlist.ts'

/** Segments `first` to before `end` of a playlist. They are shown from `from` to `to`, in seconds. */
export interface Span {
  first: number
  end: number
  from: number
  to: number
}

/** Times closer than this, in seconds, count as equal, because segment lengths are rounded. */
const rounding = 0.002

/** Returns the segments that contain a part of the time range. Always returns at least one segment. */
export function spanOf(segments: MediaPlaylist['segments'], start: number, end: number): Span {
  let at = 0
  let span: Span | undefined
  for (const [i, { seconds }] of segments.entries()) {
    const next = at + seconds
    const isWithin = next > start + rounding && at < end - rounding
    const isLast = i === segments.length - 1
    if (isWithin || (isLast && !span)) span = { first: span?.first ?? i, end: i + 1, from: span?.from ?? at, to: next }
    at = next
  }
  return span ?? { first: 0, end: 0, from: 0, to: 0 }
}
