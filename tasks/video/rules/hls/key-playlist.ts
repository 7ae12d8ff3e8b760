/** One key frame of a segment, as a byte range. */
export interface PlaylistKey {
  file: string
  offset: number
  bytes: number
  /** Time until the next key frame in seconds. */
  seconds: number
}

export const getTargetDuration = (keys: readonly PlaylistKey[]): number =>
  Math.max(1, Math.round(keys.reduce((longest, { seconds }) => Math.max(longest, seconds), 0)))

/** Writes a playlist of key frames only (RFC 8216 4.3.3.6). Players use it to show frames while the viewer scrubs. */
export function keyPlaylist(map: string, keys: readonly PlaylistKey[]): string {
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${getTargetDuration(keys)}`,
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-I-FRAMES-ONLY',
    `#EXT-X-MAP:URI="${map}"`,
    ...keys.flatMap(({ file, offset, bytes, seconds }) => [
      `#EXTINF:${seconds.toFixed(6)},`,
      `#EXT-X-BYTERANGE:${bytes}@${offset}`,
      file,
    ]),
    '#EXT-X-ENDLIST',
    '',
  ].join('\n')
}
