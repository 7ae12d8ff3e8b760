import type { CaptionTrack } from '#sql/video/caption-track.ts'
import type { MediaPlaylist } from '../hls/media-playlist.ts'
import { languageName, noLanguage } from './languages.ts'

/** Returns the display name of a track. The menu marks automatic captions. */
function nameOf({ language, name, source }: CaptionTrack): string {
  if (name !== null) return name
  if (language === noLanguage) return languageName(language)
  const own = new Intl.DisplayNames([language, 'en'], { type: 'language', fallback: 'code' }).of(language) ?? language
  return source === 'automatic' ? `${own} (automatic)` : own
}

/** Makes names unique, as a group requires (RFC 8216 4.3.4.1.1), and removes quotes. */
function namesOf(tracks: readonly CaptionTrack[]): string[] {
  const names = tracks.map((track) => nameOf(track).replaceAll('"', '”').replaceAll('\n', ' '))
  return names.map((name, i) => (names.indexOf(name) === i ? name : `${name} (${tracks[i]?.language})`))
}

export const captionsPlaylistName = (language: string): string => `captions_${language}.m3u8`

export interface CaptionsName {
  language: string
  part: 'playlist' | 'whole' | number
}

export function parseCaptionsFileName(name: string): CaptionsName | undefined {
  const [, language, number, type] = /^captions_([A-Za-z0-9-]{2,35})(?:_(\d{5}))?\.(m3u8|vtt)$/.exec(name) ?? []
  if (!language || (type === 'm3u8' && number)) return undefined
  if (type === 'm3u8') return { language, part: 'playlist' }
  return { language, part: number ? Number(number) : 'whole' }
}

/**
 * Adds captions to a master playlist without captions: every variant names their group (RFC 8216 4.3.4.2). Only the
 * default track is shown without a choice.
 */
export function addCaptions(master: string, tracks: readonly CaptionTrack[]): string {
  if (tracks.length === 0) return master
  const names = namesOf(tracks)
  const renditions = tracks.map(({ language, isDefault, source }, i) =>
    [
      '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions"',
      `NAME="${names[i]}"`,
      `LANGUAGE="${language}"`,
      `DEFAULT=${isDefault ? 'YES' : 'NO'},AUTOSELECT=YES,FORCED=NO`,
      ...(source === 'uploaded' ? [] : ['CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog"']),
      `URI="${captionsPlaylistName(language)}"`,
    ].join(','),
  )
  const variants = master.replace(/^#EXT-X-STREAM-INF:.*$/gm, (line) => `${line},SUBTITLES="captions"`)
  return variants.replace(/^#EXT-X-STREAM-INF:/m, (tag) => `${renditions.join('\n')}\n${tag}`)
}

/** Returns the first media playlist of a master playlist. All renditions have the same segment boundaries. */
export const firstVariant = (master: string): string | undefined => /^#EXT-X-STREAM-INF:.*\n(\S+)$/m.exec(master)?.[1]

/**
 * Writes the playlist of captions, with the same segments as the video. Players that seek (VLC among them) expect the
 * same segment numbers in all renditions, and RFC 8216 4.4.3.1 requires equal target durations.
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
