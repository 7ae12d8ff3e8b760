import type { TrackKind } from '../origin/tracks.ts'
import type { Message } from './chunks.ts'
import { bytesOf, headOf, kindOf } from './flv.ts'
import { foreignCodec } from './metadata.ts'

/** Milliseconds in which a publisher's second track is waited for at first. */
const secondTrackMs = 1_000

/** Stretches that begin within some milliseconds at most: each has a packager of its own, and a discontinuity in playlists. */
const [mostStretches, withinMs] = [6, 30_000]

/** What a stretch of a stream begins with: one configuration of each track, which holds to its end. */
interface Beginning {
  headers: Map<TrackKind, Message>
  kinds: Set<TrackKind>
  tags: Message[]
}

/**
 * Cuts the tags of a stream where what decoders need changes: a track has a new configuration, or one joins that was not there. Each stretch is an
 * FLV file of its own; with pictures it begins with a key frame, so that nothing but what no decoder could use is left out.
 */
export class TagSegments {
  /** Codec of the pictures that come, where it is not one that is passed on. */
  foreign: string | undefined
  /** Whether the stream has ended as streams do. */
  isOver = false
  readonly #tags: AsyncIterator<Message>
  /** The last configuration of each track that came. */
  readonly #headers = new Map<TrackKind, Message>()
  #next: Promise<IteratorResult<Message>> | undefined
  #held: Message | undefined
  #isFirst = true
  /** When the latest stretches began. */
  readonly #begun: number[] = []

  constructor(tags: AsyncIterable<Message>) {
    this.#tags = tags[Symbol.asyncIterator]()
  }

  /** The next stretch as an FLV file, which ends early on `left`; undefined when nothing follows. Throws when the stream breaks off. */
  async next(left: AbortSignal): Promise<AsyncGenerator<Buffer> | undefined> {
    const beginning = await this.#gather(left)
    this.#isFirst = false
    this.#begun.push(performance.now())
    this.#begun.splice(0, this.#begun.length - mostStretches)
    return beginning && this.#bytes(beginning, left)
  }

  /** Waits for a key frame where there are pictures, and at first for both tracks, no longer than a second. */
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

  /** Whether a stretch can begin with a frame, or goes on with it; what came before its first key frame is left out. */
  #begins({ kinds, tags }: Beginning, { kind, tag }: Frame): boolean {
    const hasPictures = this.#headers.has('video') || kinds.has('video') || kind === 'video'
    if (!hasPictures || tags.some(isKey)) return true
    if (!isKey(tag)) return false
    tags.splice(0)
    return true
  }

  async *#bytes(beginning: Beginning, left: AbortSignal): AsyncGenerator<Buffer> {
    const { headers, kinds, tags } = beginning
    yield headOf(kinds)
    for (const header of headers.values()) yield bytesOf({ ...header, time: tags[0]?.time ?? 0 })
    for (const tag of tags) yield bytesOf(tag)
    for (let frame = await this.#frame(left); frame; frame = await this.#frame(left)) {
      if (this.#splits(beginning, frame)) {
        this.#held = frame.tag
        return
      }
      // What a decoder of this stretch has no configuration for is left out.
      if (!this.#isNew(beginning, frame.kind, frame.kind)) yield bytesOf(frame.tag)
    }
  }

  /** Whether a track has another configuration than a stretch began with, or was not there. */
  #isNew({ headers, kinds }: Beginning, track: TrackKind, coming: TrackKind): boolean {
    const [now, before] = [this.#headers.get(track), headers.get(track)]
    const isSame = now === undefined || before === undefined ? now === before : now.body.equals(before.body)
    return !isSame || (track === coming && !kinds.has(track))
  }

  /** Whether a stretch ends before a frame: something is new, and the next one can begin with it. */
  #splits(beginning: Beginning, { kind, tag }: Frame): boolean {
    if (!this.#isNew(beginning, 'video', kind) && !this.#isNew(beginning, 'audio', kind)) return false
    if (!this.#mayBegin()) return false
    return isKey(tag) || !(this.#headers.has('video') || beginning.kinds.has('video') || kind === 'video')
  }

  /** Whether another stretch may begin now; a publisher that changes all the time goes on with what it began with meanwhile. */
  #mayBegin(): boolean {
    const [first] = this.#begun
    return this.#begun.length < mostStretches || performance.now() - (first ?? 0) >= withinMs
  }

  /** The next tag that is a frame of a track. */
  async #frame(left: AbortSignal): Promise<Frame | undefined> {
    for (let tag = await this.#read(left); tag; tag = await this.#read(left)) {
      const kind = trackOf(tag)
      if (kind) return { kind, tag }
    }
    return undefined
  }

  /** The next tag that is of a track, or says something of it; undefined at the end, and once it is not wanted any more. */
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
    // A tag that comes for nobody stays for the next stretch.
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
    const kind = kindOf(tag)
    if (kind === 'metadata') this.foreign = foreignCodec(tag)
    if (kind !== 'video header' && kind !== 'audio header') return
    const track = kind === 'video header' ? 'video' : 'audio'
    // Encoders send the same one again and again.
    if (!this.#headers.get(track)?.body.equals(tag.body)) this.#headers.set(track, tag)
  }
}

/** A tag that is a frame of a track. */
interface Frame {
  kind: TrackKind
  tag: Message
}

/** The track of a frame; undefined for what is none, such as a configuration. */
function trackOf(tag: Message): TrackKind | undefined {
  const kind = kindOf(tag)
  if (kind === 'sound') return 'audio'
  return kind === 'picture' || kind === 'key frame' ? 'video' : undefined
}

const isKey = (tag: Message): boolean => kindOf(tag) === 'key frame'
