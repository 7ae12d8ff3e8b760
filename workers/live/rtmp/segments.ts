import type { TrackKind } from '../origin/tracks.ts'
import type { Message } from './chunks.ts'
import { encodeFlvHeader, encodeTag, getTagKind } from './flv.ts'
import { findForeignCodec } from './metadata.ts'

/** Timeout in milliseconds for the second track of a publisher at the start. */
const secondTrackMs = 1_000

/**
 * Maximum number of segments that may start within a period, and the period in milliseconds. Each segment needs a
 * packager and a discontinuity in the playlists.
 */
const [mostStretches, withinMs] = [6, 30_000]

interface Beginning {
  headers: Map<TrackKind, Message>
  kinds: Set<TrackKind>
  tags: Message[]
}

/**
 * Splits the tags of a stream where the decoder configuration changes, because a track has a new configuration or a new
 * track joins. Each segment is a separate FLV file. If there is video, the segment starts with a key frame, so that
 * only frames that no decoder could use are dropped.
 */
export class TagSegments {
  foreign: string | undefined
  isOver = false
  readonly #tags: AsyncIterator<Message>
  readonly #headers = new Map<TrackKind, Message>()
  #next: Promise<IteratorResult<Message>> | undefined
  #held: Message | undefined
  #isFirst = true
  readonly #begun: number[] = []

  constructor(tags: AsyncIterable<Message>) {
    this.#tags = tags[Symbol.asyncIterator]()
  }

  /**
   * Returns the next segment as an FLV file, which ends early if `left` is aborted. Returns undefined at the end.
   * Throws if the stream is interrupted.
   */
  async next(left: AbortSignal): Promise<AsyncGenerator<Buffer> | undefined> {
    const beginning = await this.#gather(left)
    this.#isFirst = false
    this.#begun.push(performance.now())
    this.#begun.splice(0, this.#begun.length - mostStretches)
    return beginning && this.#bytes(beginning, left)
  }

  /** Waits for a key frame if there is video. At the start, also waits for both tracks, up to a second. */
  async #gather(left: AbortSignal): Promise<Beginning | undefined> {
    const beginning: Beginning = { headers: new Map(), kinds: new Set(), tags: [] }
    let since: number | undefined
    for (let frame = await this.#frame(left); frame; frame = await this.#frame(left)) {
      since ??= performance.now()
      if (!this.#begins(beginning, frame)) continue
      beginning.tags.push(frame.tag)
      for (const kind of [frame.kind, ...this.#headers.keys()]) beginning.kinds.add(kind)
      const isLate = performance.now() - since > secondTrackMs
      if (!this.#isFirst || beginning.kinds.size === 2 || isLate) break
    }
    return beginning.tags.length > 0 ? { ...beginning, headers: new Map(this.#headers) } : undefined
  }

  /**
   * True if a segment can start with a frame, or already contains its start. Frames before the first key frame are
   * dropped.
   */
  #begins({ kinds, tags }: Beginning, { kind, tag }: Frame): boolean {
    const hasPictures = this.#headers.has('video') || kinds.has('video') || kind === 'video'
    if (!hasPictures || tags.some(isKey)) return true
    if (!isKey(tag)) return false
    tags.splice(0)
    return true
  }

  async *#bytes(beginning: Beginning, left: AbortSignal): AsyncGenerator<Buffer> {
    const { headers, kinds, tags } = beginning
    yield encodeFlvHeader(kinds)
    for (const header of headers.values()) yield encodeTag({ ...header, time: tags[0]?.time ?? 0 })
    for (const tag of tags) yield encodeTag(tag)
    for (let frame = await this.#frame(left); frame; frame = await this.#frame(left)) {
      if (this.#splits(beginning, frame)) {
        this.#held = frame.tag
        return
      }
      // Frames whose configuration this segment does not have are dropped.
      if (!this.#isNew(beginning, frame.kind, frame.kind)) yield encodeTag(frame.tag)
    }
  }

  /** True if a track is new, or its configuration is different from that at the start of the segment. */
  #isNew({ headers, kinds }: Beginning, track: TrackKind, coming: TrackKind): boolean {
    const [now, before] = [this.#headers.get(track), headers.get(track)]
    const isSame = now === undefined || before === undefined ? now === before : now.body.equals(before.body)
    return !isSame || (track === coming && !kinds.has(track))
  }

  #splits(beginning: Beginning, { kind, tag }: Frame): boolean {
    if (!this.#isNew(beginning, 'video', kind) && !this.#isNew(beginning, 'audio', kind)) return false
    if (!this.#mayBegin()) return false
    return isKey(tag) || !(this.#headers.has('video') || beginning.kinds.has('video') || kind === 'video')
  }

  /**
   * True if another segment may start now. If a publisher changes too often, the current configuration is kept
   * meanwhile.
   */
  #mayBegin(): boolean {
    const [first] = this.#begun
    return this.#begun.length < mostStretches || performance.now() - (first ?? 0) >= withinMs
  }

  async #frame(left: AbortSignal): Promise<Frame | undefined> {
    for (let tag = await this.#read(left); tag; tag = await this.#read(left)) {
      const kind = trackOf(tag)
      if (kind) return { kind, tag }
    }
    return undefined
  }

  /** Returns the next tag of a track, or undefined at the end and when `left` is aborted. */
  async #read(left: AbortSignal): Promise<Message | undefined> {
    if (this.#held) {
      const held = this.#held
      this.#held = undefined
      return held
    }
    if (left.aborted) return undefined
    this.#next ??= this.#tags.next()
    const gone = Promise.withResolvers<undefined>()
    const leave = () => gone.resolve(undefined)
    left.addEventListener('abort', leave, { once: true })
    const read = await Promise.race([this.#next, gone.promise]).finally(() => left.removeEventListener('abort', leave))
    // A tag that arrives after the abort is kept for the next segment.
    if (!read) return undefined
    this.#next = undefined
    if (read.done) {
      this.isOver = true
      return undefined
    }
    this.#note(read.value)
    return read.value
  }

  #note(tag: Message): void {
    const kind = getTagKind(tag)
    if (kind === 'metadata') this.foreign = findForeignCodec(tag)
    if (kind !== 'video header' && kind !== 'audio header') return
    const track = kind === 'video header' ? 'video' : 'audio'
    // Encoders repeatedly send the same configuration.
    if (!this.#headers.get(track)?.body.equals(tag.body)) this.#headers.set(track, tag)
  }
}

interface Frame {
  kind: TrackKind
  tag: Message
}

/** Returns the track of a frame, or undefined for other tags, for example configurations. */
function trackOf(tag: Message): TrackKind | undefined {
  const kind = getTagKind(tag)
  if (kind === 'sound') return 'audio'
  return kind === 'picture' || kind === 'key frame' ? 'video' : undefined
}

const isKey = (tag: Message): boolean => getTagKind(tag) === 'key frame'
