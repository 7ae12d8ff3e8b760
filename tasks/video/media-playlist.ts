/** One segment that a media playlist names. */
export interface PlaylistSegment {
  file: string
  /** Length in seconds (EXTINF, RFC 8216 4.3.2.1). */
  seconds: number
}

/** Reads the segments and the initialisation file of a media playlist that we made. */
export function readMediaPlaylist(text: string): { map: string; segments: PlaylistSegment[] } {
  const segments: PlaylistSegment[] = []
  let map = ''
  let seconds = 0
  for (const line of text.split('\n')) {
    const [, uri] = /^#EXT-X-MAP:URI="([^"]+)"/.exec(line) ?? []
    if (uri) map = uri
    const [, length] = /^#EXTINF:([\d.]+)/.exec(line) ?? []
    if (length) seconds = Number(length)
    else if (line !== '' && !line.startsWith('#')) segments.push({ file: line, seconds })
  }
  return { map, segments }
}
