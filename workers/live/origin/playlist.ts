import type { LiveStats } from './channel.ts'
import { renditionPlaylist } from './renditions.ts'
import { arePartsListed, type Segment, type Timeline, targetDuration } from './timeline.ts'

/** Age in seconds after which delta updates skip segments (RFC 8216bis 4.4.3.8: at least six target durations). */
const skipUntil = 6 * targetDuration

const seconds = (value: number) => value.toFixed(5)

export const mediaPlaylist = 'live.m3u8'
export const masterPlaylist = 'index.m3u8'

export interface ListedPlaylist {
  uri: string
  timeline: Timeline
}

export function renderMaster({ video, audio, bitRate, framesPerSecond, renditions }: LiveStats): string {
  const frameRate = video && framesPerSecond > 0 ? [`FRAME-RATE=${framesPerSecond.toFixed(3)}`] : []
  const variant = (rate: number, codecs: (string | undefined)[], size: string[], uri: string) => [
    `#EXT-X-STREAM-INF:${[`BANDWIDTH=${rate}`, `CODECS="${codecs.filter(Boolean).join(',')}"`, ...size, ...frameRate].join(',')}`,
    uri,
  ]
  const rate = Math.max(64_000, Math.ceil(bitRate * 1.2))
  const size = video ? [`RESOLUTION=${video.width}x${video.height}`] : []
  return [
    ...['#EXTM3U', '#EXT-X-VERSION:9'],
    ...variant(rate, [video?.codec, audio?.codec], size, mediaPlaylist),
    ...renditions.flatMap(({ height, width, codec, bandwidth }) =>
      variant(bandwidth, [codec, audio?.codec], [`RESOLUTION=${width}x${height}`], renditionPlaylist(height)),
    ),
    '',
  ].join('\n')
}

/**
 * Returns the last part of another playlist. A player that switches to this playlist then requests the next part (RFC
 * 8216bis 4.4.5.4).
 */
function reportLine({ uri, timeline: { last } }: ListedPlaylist): string[] {
  if (!last || last.parts.length === 0) return []
  return [`#EXT-X-RENDITION-REPORT:URI="${uri}",LAST-MSN=${last.msn},LAST-PART=${last.parts.length - 1}`]
}

function header({ partTarget, segments, discontinuities }: Timeline): string[] {
  const control = [
    'CAN-BLOCK-RELOAD=YES',
    `PART-HOLD-BACK=${seconds(3 * partTarget)}`,
    `CAN-SKIP-UNTIL=${seconds(skipUntil)}`,
  ]
  return [
    ...['#EXTM3U', '#EXT-X-VERSION:9', `#EXT-X-TARGETDURATION:${targetDuration}`],
    `#EXT-X-SERVER-CONTROL:${control.join(',')}`,
    `#EXT-X-PART-INF:PART-TARGET=${seconds(partTarget)}`,
    `#EXT-X-MEDIA-SEQUENCE:${segments[0]?.msn ?? 0}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuities}`,
  ]
}

function partLine({ name, duration, hasKey }: Segment['parts'][number]): string {
  return `#EXT-X-PART:DURATION=${seconds(duration)},URI="${name}"${hasKey ? ',INDEPENDENT=YES' : ''}`
}

function segmentLines(segment: Segment, behind: number): string[] {
  const parts = arePartsListed(behind) ? segment.parts.map(partLine) : []
  const body = [...(segment.gap ? ['#EXT-X-GAP'] : []), `#EXTINF:${seconds(segment.duration)},`, segment.name]
  return [
    `#EXT-X-PROGRAM-DATE-TIME:${new Date(segment.programTime).toISOString()}`,
    ...parts,
    ...(segment.done ? body : []),
  ]
}

/** Returns the seconds from the end of each segment to the end of the playlist. */
function distances(segments: Segment[]): number[] {
  let behind = 0
  return segments.toReversed().map(({ duration }) => {
    behind += duration
    return behind - duration
  })
}

/** Returns the media playlist. With `skip`, returns a delta update (6.2.5.1) if segments can be skipped. */
export function renderMedia(timeline: Timeline, skip: boolean, others: readonly ListedPlaylist[] = []): string {
  const { segments, ended } = timeline
  const behind = distances(segments).toReversed()
  const kept = segments.findIndex(({ duration }, i) => (behind[i] ?? 0) + duration <= skipUntil)
  const skipped = skip && !ended ? Math.max(0, kept) : 0
  const lines = header(timeline)
  if (skipped > 0) lines.push(`#EXT-X-SKIP:SKIPPED-SEGMENTS=${skipped}`)
  for (const [i, segment] of segments.entries()) {
    if (i < skipped) continue
    if (segment.discontinuity) lines.push('#EXT-X-DISCONTINUITY')
    if (i === 0 || segments[i - 1]?.init !== segment.init) lines.push(`#EXT-X-MAP:URI="${segment.init.name}"`)
    lines.push(...segmentLines(segment, behind[i] ?? 0))
  }
  lines.push(ended ? '#EXT-X-ENDLIST' : `#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${timeline.nextPart}"`)
  if (!ended) lines.push(...others.flatMap(reportLine))
  return `${lines.join('\n')}\n`
}
