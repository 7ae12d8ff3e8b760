/** Names as people read them, by language; a program wrote the words, which the menu says. */
const names: Record<string, string> = { en: 'English (automatic)' }

/** The media playlist of captions in a language, beside the package that is played. */
export const captionsPlaylistName = (language: string): string => `captions_${language}.m3u8`

/** The language of a captions playlist or its one segment, by the file's name; undefined for another file. */
export function captionsFile(name: string): { language: string; playlist: boolean } | undefined {
  const [, language, type] = /^captions_([a-z]{2})\.(m3u8|vtt)$/.exec(name) ?? []
  return language ? { language, playlist: type === 'm3u8' } : undefined
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

/** The playlist of captions: one segment as long as the asset, which players fetch once. */
export function captionsPlaylist(language: string, seconds: number): string {
  const length = Math.max(0.001, seconds)
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:3',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.round(length))}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    `#EXTINF:${length.toFixed(3)},`,
    `captions_${language}.vtt`,
    '#EXT-X-ENDLIST',
    '',
  ].join('\n')
}
