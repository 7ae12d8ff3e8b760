import type { PackagedRendition } from '../../engine.ts'
import { type Rational, toNumber } from '../transcode/rational.ts'

/** Contents of a master playlist. `rate` is `null` for an audio-only package. */
export interface MasterPlaylist {
  renditions: PackagedRendition[]
  rate: Rational | null
  /** WebVTT file of the seek bar's preview images, relative to the master playlist. */
  thumbnails?: string | undefined
}

/** Name of the preview images in `EXT-X-SESSION-DATA`. */
export const thumbnailsId = 'millrace.thumbnails'

type Attributes = Record<string, string | number>

const attributes = (list: Attributes) =>
  Object.entries(list)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/**
 * Returns display names of audio tracks: their titles or, without one, their languages. All are unique (RFC 8216
 * 4.3.4.1).
 */
function namesOf(sounds: PackagedRendition[]): string[] {
  const taken = new Set<string>()
  return sounds.map(({ title, language }, i) => {
    // A quoted string contains no quotes and no line breaks (4.2). Menus do not show other control characters.
    const own = title
      ?.replaceAll('"', '’')
      .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .trim()
    const name = own || (language && languages.of(language)) || (i === 0 ? 'Audio' : `Audio ${i + 1}`)
    const free = [name, ...Array.from({ length: sounds.length }, (_, n) => `${name} (${n + 2})`)]
    const unlike = free.find((each) => !taken.has(each)) ?? name
    taken.add(unlike)
    return unlike
  })
}

/**
 * RFC 8216 4.3.4.1: the audio tracks. The first is the default, unless the viewer or the player's settings choose
 * another.
 */
function audioLines(sounds: PackagedRendition[]): string[] {
  const names = namesOf(sounds)
  return sounds.map(({ language, playlist }, i) => {
    const list = attributes({
      TYPE: 'AUDIO',
      'GROUP-ID': '"audio"',
      NAME: `"${names[i]}"`,
      ...(language ? { LANGUAGE: `"${language}"` } : {}),
      DEFAULT: i === 0 ? 'YES' : 'NO',
      AUTOSELECT: 'YES',
      URI: `"${playlist}"`,
    })
    return `#EXT-X-MEDIA:${list}`
  })
}

// Every video is SDR: other sources are tone-mapped and never copied.
const pictureOf = ({ width, height }: PackagedRendition): Attributes => ({
  RESOLUTION: `${width}x${height}`,
  'VIDEO-RANGE': 'SDR',
})

const most = (values: number[]) => Math.max(0, ...values)

/**
 * RFC 8216 4.3.4.2: BANDWIDTH is the peak segment bit rate of a variant with its largest audio track, AVERAGE-BANDWIDTH
 * the mean. CODECS names all required codecs.
 */
function variant(video: PackagedRendition, sounds: PackagedRendition[], list: MasterPlaylist): string {
  const beside = sounds.filter((sound) => sound !== video)
  const isPicture = video.frames > 0
  const picture: Attributes =
    isPicture && list.rate ? { ...pictureOf(video), 'FRAME-RATE': toNumber(list.rate).toFixed(3) } : {}
  const others = isPicture ? beside : []
  const line = attributes({
    BANDWIDTH: video.peakBitRate + most(others.map(({ peakBitRate }) => peakBitRate)),
    'AVERAGE-BANDWIDTH': video.meanBitRate + most(others.map(({ meanBitRate }) => meanBitRate)),
    CODECS: `"${[...new Set([video, ...beside].map(({ codec }) => codec))].join(',')}"`,
    ...picture,
    ...(beside.length > 0 ? { AUDIO: '"audio"' } : {}),
  })
  return `#EXT-X-STREAM-INF:${line}\n${video.playlist}`
}

/** RFC 8216 4.3.4.3: only the key frames of a rendition, for scrubbing. */
function keyVariant(video: PackagedRendition): string[] {
  if (!video.keys) return []
  const { playlist, peakBitRate, meanBitRate } = video.keys
  const rates = { BANDWIDTH: peakBitRate, 'AVERAGE-BANDWIDTH': meanBitRate }
  const line = attributes({ ...rates, CODECS: `"${video.codec}"`, ...pictureOf(video), URI: `"${playlist}"` })
  return [`#EXT-X-I-FRAME-STREAM-INF:${line}`]
}

/** Writes a master playlist from measured segments, highest rendition first. All renditions share the audio tracks. */
export function masterPlaylist(list: MasterPlaylist): string {
  const pictures = list.renditions.filter(({ frames }) => frames > 0).sort((a, b) => b.peakBitRate - a.peakBitRate)
  const sounds = list.renditions.filter(({ frames }) => frames === 0)
  const variants = pictures.length > 0 ? pictures : list.renditions.slice(0, 1)
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...(list.thumbnails ? [`#EXT-X-SESSION-DATA:DATA-ID="${thumbnailsId}",VALUE="${list.thumbnails}"`] : []),
    ...(pictures.length > 0 || sounds.length > 1 ? audioLines(sounds) : []),
    ...variants.map((video) => variant(video, sounds, list)),
    ...pictures.flatMap(keyVariant),
    '',
  ].join('\n')
}
