import type { PackagedRendition } from './engine.ts'
import { type Rational, toNumber } from './rational.ts'

/** What a master playlist lists; `rate` is null for a sound-only package. */
export interface MasterPlaylist {
  renditions: PackagedRendition[]
  rate: Rational | null
  /** A WebVTT file of pictures for the seek bar, relative to the master playlist. */
  thumbnails?: string | undefined
}

/** What `EXT-X-SESSION-DATA` calls the pictures for the seek bar. */
export const thumbnailsId = 'millrace.thumbnails'

type Attributes = Record<string, string | number>

const attributes = (list: Attributes) =>
  Object.entries(list)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')

const audioLine = ({ playlist }: PackagedRendition) =>
  `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Audio",DEFAULT=YES,AUTOSELECT=YES,URI="${playlist}"`

// Every picture is SDR: what is not is tone-mapped, and no copy is made of it.
const pictureOf = ({ width, height }: PackagedRendition): Attributes => ({
  RESOLUTION: `${width}x${height}`,
  'VIDEO-RANGE': 'SDR',
})

/** RFC 8216 4.3.4.2: BANDWIDTH is the peak segment bit rate of a variant with its sound, AVERAGE-BANDWIDTH the mean. */
function variant(video: PackagedRendition, sound: PackagedRendition | undefined, list: MasterPlaylist): string {
  const tracks = sound && sound !== video ? [video, sound] : [video]
  const picture: Attributes =
    video.frames > 0 && list.rate ? { ...pictureOf(video), 'FRAME-RATE': toNumber(list.rate).toFixed(3) } : {}
  const line = attributes({
    BANDWIDTH: tracks.reduce((sum, { peakBitRate }) => sum + peakBitRate, 0),
    'AVERAGE-BANDWIDTH': tracks.reduce((sum, { meanBitRate }) => sum + meanBitRate, 0),
    CODECS: `"${tracks.map(({ codec }) => codec).join(',')}"`,
    ...picture,
    ...(tracks.length > 1 ? { AUDIO: '"audio"' } : {}),
  })
  return `#EXT-X-STREAM-INF:${line}\n${video.playlist}`
}

/** RFC 8216 4.3.4.3: a rendition's key frames alone, for scrubbing. */
function keyVariant(video: PackagedRendition): string[] {
  if (!video.keys) return []
  const { playlist, peakBitRate, meanBitRate } = video.keys
  const rates = { BANDWIDTH: peakBitRate, 'AVERAGE-BANDWIDTH': meanBitRate }
  const line = attributes({ ...rates, CODECS: `"${video.codec}"`, ...pictureOf(video), URI: `"${playlist}"` })
  return [`#EXT-X-I-FRAME-STREAM-INF:${line}`]
}

/** Writes a master playlist from what was measured in the segments, highest rendition first; all sizes share one sound track. */
export function masterPlaylist(list: MasterPlaylist): string {
  const pictures = list.renditions.filter(({ frames }) => frames > 0).sort((a, b) => b.peakBitRate - a.peakBitRate)
  const sound = list.renditions.find(({ frames }) => frames === 0)
  const variants = pictures.length > 0 ? pictures : list.renditions.slice(0, 1)
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...(list.thumbnails ? [`#EXT-X-SESSION-DATA:DATA-ID="${thumbnailsId}",VALUE="${list.thumbnails}"`] : []),
    ...(sound && pictures.length > 0 ? [audioLine(sound)] : []),
    ...variants.map((video) => variant(video, sound, list)),
    ...pictures.flatMap(keyVariant),
    '',
  ].join('\n')
}
