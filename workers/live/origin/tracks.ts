import { type Box, boxesAt, boxesIn } from '../../media/package/boxes.ts'
import { avcCodec } from '../../media/package/cmaf.ts'

export type TrackKind = 'video' | 'audio'

export interface Track {
  id: number
  kind: TrackKind
  /** Number of ticks per second. */
  timescale: number
  /** Codec as in RFC 6381. */
  codec: string
  width: number
  height: number
  sampleRate: number
  channels: number
}

/** Returns the object type from an `esds` and, for AAC, the audio object type (ISO/IEC 14496-1, 7.2.6). */
function mp4aCodec(bytes: Buffer, { start, end }: Box): string {
  let at = start + 4
  let objectType = 0
  while (at + 2 < end) {
    const tag = bytes[at++]
    // Lengths consist of groups of seven bits. ffmpeg always writes four groups.
    while (at < end && ((bytes[at] ?? 0) & 0x80) !== 0) at++
    at++
    if (tag === 0x03) at += 3
    else if (tag === 0x04) {
      objectType = bytes[at] ?? 0
      at += 13
    } else if (tag === 0x05) return `mp4a.${objectType.toString(16)}.${(bytes[at] ?? 0) >> 3}`
    else break
  }
  return `mp4a.${objectType.toString(16)}`
}

function sampleEntry(bytes: Buffer, entry: Box) {
  const at = entry.start
  if (entry.type === 'avc1') {
    const [config] = boxesAt(bytes, 'avcC', at + 78, entry.end)
    const codec = config ? avcCodec(bytes.subarray(config.start, config.end)) : 'avc1'
    return {
      codec,
      width: bytes.readUInt16BE(at + 24),
      height: bytes.readUInt16BE(at + 26),
      sampleRate: 0,
      channels: 0,
    }
  }
  if (entry.type !== 'mp4a') return undefined
  const [esds] = boxesAt(bytes, 'esds', at + 28, entry.end)
  const codec = esds ? mp4aCodec(bytes, esds) : 'mp4a'
  return { codec, width: 0, height: 0, sampleRate: bytes.readUInt16BE(at + 24), channels: bytes.readUInt16BE(at + 16) }
}

/** Returns the H.264 and AAC tracks of a `moov` box. Other codecs are omitted. */
export function readInit(moov: Buffer): Track[] {
  return boxesAt(moov, 'moov/trak').flatMap((trak) => {
    const [tkhd] = boxesAt(moov, 'tkhd', trak.start, trak.end)
    const [mdhd] = boxesAt(moov, 'mdia/mdhd', trak.start, trak.end)
    const [stsd] = boxesAt(moov, 'mdia/minf/stbl/stsd', trak.start, trak.end)
    const [entry] = stsd ? boxesIn(moov, stsd.start + 8, stsd.end) : []
    const facts = entry && sampleEntry(moov, entry)
    if (!tkhd || !mdhd || !facts) return []
    const id = moov.readUInt32BE(tkhd.start + (moov[tkhd.start] === 1 ? 20 : 12))
    const timescale = moov.readUInt32BE(mdhd.start + (moov[mdhd.start] === 1 ? 20 : 12))
    return [{ id, kind: facts.width > 0 ? ('video' as const) : ('audio' as const), timescale, ...facts }]
  })
}

/** Returns the track that determines the duration of parts: video, if there is any. */
export function getLeadingTrack(tracks: readonly Track[]): Track {
  const leading = tracks.find(({ kind }) => kind === 'video') ?? tracks[0]
  if (!leading) throw new RangeError('The input has neither H.264 nor AAC.')
  return leading
}
