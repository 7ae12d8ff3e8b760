import type { Span } from './span.ts'

/** Segments that a viewer can load: a span of the reference rendition. */
export interface Window extends Span {
  /** True if the span contains the last segment. Audio can then have one more segment. */
  isOpen: boolean
}

/** Times closer than this, in seconds, count as equal, because segment lengths are rounded. */
const rounding = 0.01

const secondsOf = (entry: string): number => Number(/^#EXTINF:([\d.]+)/.exec(entry)?.[1] ?? 0)

/** Keeps only the segments of a window in a media playlist, or the key frames of these segments. */
export function cutPlaylist(text: string, window: Window): string {
  const [head = '', ...entries] = text.replace(/#EXT-X-ENDLIST\s*$/, '').split(/^(?=#EXTINF:)/m)
  const kept = text.includes('#EXT-X-I-FRAMES-ONLY')
    ? keysWithin(entries, window)
    : entries.filter((_, i) => isWithin(window, i))
  return `${head}${kept.join('')}#EXT-X-ENDLIST\n`
}

function keysWithin(entries: string[], { from, to, isOpen }: Window): string[] {
  let at = 0
  return entries.filter((entry) => {
    const start = at
    at += secondsOf(entry)
    return start > from - rounding && (isOpen || start < to - rounding)
  })
}

const isWithin = ({ first, end, isOpen }: Window, index: number): boolean => index >= first && (isOpen || index < end)

/**
 * True if a file of a package belongs to a window: a segment of it, an initialisation segment, or a playlist. Images of
 * the seek bar and complete captions show other parts, so they do not belong to a window.
 */
export function isInWindow(file: string, window: Window): boolean {
  if (/\.m3u8$|_init\.mp4$/.test(file)) return true
  const index = /_(\d{5,7})\.(?:m4s|vtt)$/.exec(file)?.[1]
  return index !== undefined && isWithin(window, Number(index))
}
