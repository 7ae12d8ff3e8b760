import type { SoundTrack } from '#sql/video/sound-track.ts'
import { soundPlaylist } from '../sounds/sound-names.ts'
import { listSounds } from './audio-tracks.ts'

const codec = 'mp4a.40.2'

const languageName = (tag: string): string =>
  new Intl.DisplayNames([tag, 'en'], { type: 'language', fallback: 'code' }).of(tag) ?? tag

/** Returns a name that no other track has (RFC 8216 4.3.4.1.1), without quotes and line breaks. */
function freeName(track: SoundTrack, taken: Set<string>): string {
  const wanted = (track.name ?? languageName(track.language)).replaceAll('"', '”').replaceAll(/\s+/g, ' ')
  const names = [
    wanted,
    `${wanted} (${track.language})`,
    ...Array.from({ length: 99 }, (_, i) => `${wanted} (${i + 2})`),
  ]
  const name = names.find((each) => !taken.has(each)) ?? track.id
  taken.add(name)
  return name
}

/** Adds audio tracks to a master playlist. Every variant can be played with each of them. */
export function addSounds(master: string, tracks: readonly SoundTrack[]): string {
  if (tracks.length === 0) return master
  const taken = new Set(listSounds(master).map(({ name }) => name ?? ''))
  const lines = tracks.map((track) =>
    [
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio"',
      `NAME="${freeName(track, taken)}"`,
      `LANGUAGE="${track.language}"`,
      `DEFAULT=${track.isDefault ? 'YES' : 'NO'},AUTOSELECT=YES`,
      `URI="${soundPlaylist(track.id)}"`,
    ].join(','),
  )
  const others = tracks.some(({ isDefault }) => isDefault) ? withoutDefault(master) : master
  const peak = Math.max(...tracks.map((track) => track.peak))
  const heard = others.replace(/^#EXT-X-STREAM-INF:.*$/gm, (line) => withSound(line, peak))
  return heard.replace(/^#EXT-X-STREAM-INF:/m, (tag) => `${lines.join('\n')}\n${tag}`)
}

const withoutDefault = (master: string): string =>
  master
    .split('\n')
    .map((line) => (line.startsWith('#EXT-X-MEDIA:TYPE=AUDIO,') ? line.replace('DEFAULT=YES', 'DEFAULT=NO') : line))
    .join('\n')

/** Names the audio group in a variant that had no audio. Its bitrates then include the audio. */
function withSound(line: string, peak: number): string {
  if (line.includes('AUDIO="')) return line
  const more = (_: string, name: string, bits: string) => `${name}=${Number(bits) + Math.round(peak)}`
  const coded = line.includes(codec) ? line : line.replace(/CODECS="([^"]*)"/, `CODECS="$1,${codec}"`)
  return `${coded.replace(/(BANDWIDTH)=(\d+)/g, more)},AUDIO="audio"`
}
