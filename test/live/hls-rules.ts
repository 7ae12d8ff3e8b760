/** A rule that a playlist breaks, with its clause in RFC 8216bis (draft-pantos-hls-rfc8216bis). */
export interface Breach {
  clause: string
  rule: string
  found: string
}

/** A media playlist as its lines say, and nothing concluded from them. */
export interface MediaPlaylist {
  version: number
  target: number
  partTarget: number
  control: Record<string, string>
  msn: number
  discontinuitySequence: number
  skipped: number
  segments: Listed[]
  /** Parts of the segment that is still growing. */
  growing: Listed
  hint: Record<string, string> | undefined
  ended: boolean
}

/** A segment with its parts. */
export interface Listed {
  msn: number
  uri: string
  duration: number
  parts: { uri: string; duration: number; independent: boolean; gap: boolean }[]
  map: string | undefined
  programTime: string | undefined
  discontinuity: boolean
  gap: boolean
}

/** The attributes of a tag (4.2). */
function attributes(text: string): Record<string, string> {
  const found = [...text.matchAll(/([A-Z0-9-]+)=("[^"]*"|[^,]*)/g)]
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value.replaceAll('"', '')]))
}

const empty = (msn: number, map: string | undefined): Listed => ({
  msn,
  uri: '',
  duration: 0,
  parts: [],
  map,
  programTime: undefined,
  discontinuity: false,
  gap: false,
})

/** Reads a media playlist; throws for what no client could parse. */
export function parseMedia(text: string): MediaPlaylist {
  const lines = text.split('\n').filter((line) => line !== '')
  if (lines[0] !== '#EXTM3U') throw new Error('4.4.1.1: EXTM3U must be the first line.')
  const playlist: MediaPlaylist = {
    version: 1,
    target: 0,
    partTarget: 0,
    control: {},
    msn: 0,
    discontinuitySequence: 0,
    skipped: 0,
    segments: [],
    growing: empty(0, undefined),
    hint: undefined,
    ended: false,
  }
  const tags: Record<string, (value: string) => void> = {
    VERSION: (value) => (playlist.version = Number(value)),
    TARGETDURATION: (value) => (playlist.target = Number(value)),
    'SERVER-CONTROL': (value) => (playlist.control = attributes(value)),
    'PART-INF': (value) => (playlist.partTarget = Number(attributes(value)['PART-TARGET'])),
    'MEDIA-SEQUENCE': (value) => (playlist.growing.msn = playlist.msn = Number(value)),
    'DISCONTINUITY-SEQUENCE': (value) => (playlist.discontinuitySequence = Number(value)),
    SKIP: (value) => {
      playlist.skipped = Number(attributes(value)['SKIPPED-SEGMENTS'])
      playlist.growing.msn += playlist.skipped
    },
    MAP: (value) => (playlist.growing.map = attributes(value).URI),
    'PROGRAM-DATE-TIME': (value) => (playlist.growing.programTime = value),
    DISCONTINUITY: () => (playlist.growing.discontinuity = true),
    GAP: () => (playlist.growing.gap = true),
    PART: (value) => {
      const { URI = '', DURATION, INDEPENDENT, GAP } = attributes(value)
      const part = { uri: URI, duration: Number(DURATION), independent: INDEPENDENT === 'YES', gap: GAP === 'YES' }
      playlist.growing.parts.push(part)
    },
    'PRELOAD-HINT': (value) => (playlist.hint = attributes(value)),
    ENDLIST: () => (playlist.ended = true),
  }
  for (const line of lines.slice(1)) {
    const [, name, , value = ''] = /^#(?:EXT-X-)?([A-Z-]+)(:(.*))?$/.exec(line) ?? []
    if (name === 'EXTINF') playlist.growing.duration = Number.parseFloat(value)
    else if (name) tags[name]?.(value)
    else if (!line.startsWith('#')) {
      playlist.growing.uri = line
      playlist.segments.push(playlist.growing)
      playlist.growing = empty(playlist.growing.msn + 1, playlist.growing.map)
    }
  }
  return playlist
}

/** The rules that a playlist must keep by itself. */
export function breaches(playlist: MediaPlaylist): Breach[] {
  const found: Breach[] = []
  const must = (holds: boolean, clause: string, rule: string, what: unknown) => {
    if (!holds) found.push({ clause, rule, found: JSON.stringify(what) ?? '' })
  }
  const { version, target, partTarget, control, segments, growing, hint, ended, skipped } = playlist
  const hold = Number(control['PART-HOLD-BACK'])
  const skip = Number(control['CAN-SKIP-UNTIL'])
  must(Number.isInteger(target) && target > 0, '4.4.3.1', 'EXT-X-TARGETDURATION is a whole number and required', target)
  must(version >= 9 || skipped === 0, '8', 'EXT-X-SKIP needs version 9', version)
  must(version >= 6, '8', 'EXT-X-MAP in a playlist of more than I-frames needs version 6', version)
  must(partTarget > 0, '4.4.3.7', 'EXT-X-PART-INF is required where there are parts', partTarget)
  must(control['CAN-BLOCK-RELOAD'] === 'YES', '4.4.3.8', 'CAN-BLOCK-RELOAD is mandatory for low latency', control)
  must(hold >= 2 * partTarget, '4.4.3.8', 'PART-HOLD-BACK is at least twice the part target', hold)
  must(hold >= 3 * partTarget - 0.001, '4.4.3.8', 'PART-HOLD-BACK should be three times the part target', hold)
  must(!(skip < 6 * target), '4.4.3.8', 'CAN-SKIP-UNTIL is at least six target durations', skip)
  for (const segment of segments) {
    must(Math.round(segment.duration) <= target, '4.4.3.1', 'EXTINF, rounded, is at most the target', segment.duration)
    must(segment.duration > 0, '4.4.4.1', 'EXTINF has a duration', segment)
    must(
      segment.map !== undefined || skipped > 0,
      '4.4.4.5',
      'fragmented MP4 needs an EXT-X-MAP before it',
      segment.uri,
    )
    const sum = segment.parts.reduce((total, { duration }) => total + duration, 0)
    const agrees = segment.parts.length === 0 || Math.abs(sum - segment.duration) < 0.01
    must(agrees, '4.4.4.9', 'the parts of a segment are all of it', [sum, segment.duration])
  }
  for (const { parts } of [...segments, growing]) {
    for (const [i, { duration, gap }] of parts.entries()) {
      must(duration <= partTarget + 0.00001, '4.4.4.9', 'a part lasts at most the part target', [duration, partTarget])
      const isLast = i === parts.length - 1
      const long = isLast || gap || duration >= 0.85 * partTarget
      must(long, '4.4.4.9', 'a part but the last lasts at least 85 % of the part target', [duration, partTarget])
    }
  }
  let behind = growing.parts.reduce((total, { duration }) => total + duration, 0)
  for (const segment of segments.toReversed()) {
    const listed = behind >= 3 * target || segment.parts.length > 0 || segment.gap
    must(listed, '4.4.4.9', 'parts are listed within three target durations of the end', segment.uri)
    const dropped = behind < 3 * target + target || segment.parts.length === 0
    must(dropped, '4.4.4.9', 'parts further than three target durations from the end should not be listed', segment.uri)
    behind += segment.duration
  }
  const total = segments.reduce((sum, { duration }) => sum + duration, 0)
  must(skipped === 0 || total <= skip + target, '4.4.5.2', 'what is skipped is older than the skip boundary', total)
  must(ended || hint?.TYPE === 'PART', '4.4.5.3', 'the next part is hinted at', hint)
  must(!ended || hint === undefined, '4.4.5.3', 'nothing is hinted at after the end', hint)
  const uris = [...segments, growing].flatMap(({ uri, parts }) => [uri, ...parts.map((part) => part.uri)])
  must(
    uris.every((uri) => uri !== hint?.URI),
    '4.4.5.3',
    'what is hinted at is not listed yet',
    hint,
  )
  must(
    [...segments, growing].some(({ programTime }) => programTime),
    '4.4.4.6',
    'dates tie segments to the clock',
    '',
  )
  return found
}

/** The rules between a playlist and a later one of the same stream (6.2.1, 6.2.2). */
export function breachesSince(before: MediaPlaylist, after: MediaPlaylist): Breach[] {
  const found: Breach[] = []
  const must = (holds: boolean, clause: string, rule: string, what: unknown) => {
    if (!holds) found.push({ clause, rule, found: JSON.stringify(what) ?? '' })
  }
  must(before.target === after.target, '6.2.1', 'the target duration never changes', [before.target, after.target])
  const parts = [before.partTarget, after.partTarget]
  must(parts[0] === parts[1], '4.4.3.7', 'the part target never changes', parts)
  must(after.msn >= before.msn, '4.4.3.2', 'the media sequence number never decreases', [before.msn, after.msn])
  const breaks = [before.discontinuitySequence, after.discontinuitySequence]
  must((breaks[1] ?? 0) >= (breaks[0] ?? 0), '4.4.3.3', 'the discontinuity sequence never decreases', breaks)
  const later = new Map([...after.segments, after.growing].map((segment) => [segment.msn, segment]))
  for (const segment of before.segments) {
    const same = later.get(segment.msn)
    if (!same) continue
    const was = [segment.uri, segment.duration, segment.discontinuity]
    const is = [same.uri, same.duration, same.discontinuity]
    must(`${was}` === `${is}`, '6.2.1', 'a listed segment never changes', [was, is])
  }
  for (const segment of [...before.segments, before.growing]) {
    const same = later.get(segment.msn)
    for (const [i, part] of segment.parts.entries()) {
      const now = same?.parts[i]
      must(!now || now.uri === part.uri, '6.2.1', 'a listed part never changes', [part.uri, now?.uri])
    }
  }
  if (before.hint) {
    const names = [...later.values()].flatMap((segment) => segment.parts.map(({ uri }) => uri))
    const kept = names.includes(before.hint.URI ?? '') || after.hint?.URI === before.hint.URI || after.ended
    must(kept, '4.4.5.3', 'what was hinted at comes', [before.hint.URI, names.at(-1)])
  }
  return found
}
