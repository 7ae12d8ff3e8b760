export interface PlaylistSegment {
  file: string
  /** Length in seconds (EXTINF, RFC 8216 4.3.2.1). */
  seconds: number
}

export interface MediaPlaylist {
  map: string
  /** Rounded maximum length of a segment in seconds (EXT-X-TARGETDURATION). */
  target: number
  segments: PlaylistSegment[]
}

export function readMediaPlaylist(text: string): MediaPlaylist {
  const segments: PlaylistSegment[] = []
  const target = Number(/^#EXT-X-TARGETDURATION:(\d+)/m.exec(text)?.[1] ?? 0)
  let map = ''
  let seconds = 0
  for (const line of text.split('\n')) {
    const [, uri] = /^#EXT-X-MAP:URI="([^"]+)"/.exec(line) ?? []
    if (uri) map = uri
    const [, length] = /^#EXTINF:([\d.]+)/.exec(line) ?? []
    if (length) seconds = Number(length)
    else if (line !== '' && !line.startsWith('#')) segments.push({ file: line, seconds })
  }
  return { map, target, segments }
}
