import type { MediaPlaylist } from '../hls/media-playlist.ts'

/** Names as people read them, by language; a program wrote the words, which the menu says. */
const names: Record<string, string> = { en: 'English (automatic)' }

/** The media playlist of captions in a language, beside the package that is played. */
export const captionsPlaylistName = (language: string): string => `captions_${language}.m3u8`

/** What a file name stands for: captions in a language as a playlist, one segment of it, or all of them as one file. */
export interface CaptionsName {
  language: string
  part: 'playlist' | 'whole' | number
}

/** Reads the name of a file of captions; undefined for another file. */
export function captionsFile(name: string): CaptionsName | undefined {
  const [, language, number, type] = /^captions_([a-z]{2})(?:_(\d{5}))?\.(m3u8|vtt)$/.exec(name) ?? []
  if (!language || (type === 'm3u8' && number)) return undefined
  if (type === 'm3u8') return { language, part: 'playlist' }
  return { language, part: number ? Number(number) : 'whole' }
}

/**
 * A master playlist that offers captions, made from one that has none: every variant names their group (RFC 8216 4.3.4.2).
 * They are shown to those who ask for them, not by default.
 */
export function withCaptions(master: string, languages: readonly string[]): string {
  if (languages.length === 0) return master
  const renditions = languages.map((language) =>
    [
      '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions"',
      `NAME="${names[language] ?? language}"`,
      `LANGUAGE="${language}"`,
      'DEFAULT=NO,AUTOSELECT=YES,FORCED=NO',
      'CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog"',
      `URI="${captionsPlaylistName(language)}"`,
    ].join(','),
  )
  const variants = master.replace(/^#EXT-X-STREAM-INF:.*$/gm, (line) => `${line},SUBTITLES="captions"`)
  return variants.replace(/^#EXT-X-STREAM-INF:/m, `${renditions.join('\n')}\n#EXT-X-STREAM-INF:`)
}

/** The first media playlist that a master playlist's variants name: the borders of its segments are those of all renditions. */
export const firstVariant = (master: string): string | undefined => /^#EXT-X-STREAM-INF:.*\n(\S+)$/m.exec(master)?.[1]

/**
 * The playlist of captions, cut like the film: players that seek (VLC among them) look for the segment of an instant alike
 * in all renditions, and RFC 8216 4.4.3.1 wants target durations alike.
 */
export function captionsPlaylist(language: string, { target, segments }: MediaPlaylist): string {
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:3',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXT-X-TARGETDURATION:${target}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    ...segments.flatMap(({ seconds }, i) => [
      `#EXTINF:${seconds.toFixed(6)},`,
      `captions_${language}_${String(i).padStart(5, '0')}.vtt`,
    ]),
    '#EXT-X-ENDLIST',
    '',
  ].join('\n')
}
