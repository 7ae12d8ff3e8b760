import type { RenditionHeight } from '#sql/live/channels.ts'
import { readTracks } from '../../media/package/samples.ts'
import type { CutPart } from './part-cutter.ts'
import { type FrameSource, noFrames } from './pictures.ts'
import { Rendition } from './rendition.ts'
import type { SegmentFolder } from './segment-folder.ts'
import type { Init, Timeline } from './timeline.ts'
import type { Track } from './tracks.ts'

export interface ListedRun {
  init: Init
  beganAt: number
  video: Track | undefined
  /** Delay in seconds between decoding and presentation of key frames. */
  shift: number
  pictures: ReadonlyMap<number, FrameSource>
}

interface Playlist {
  timeline: Timeline
  folder: SegmentFolder
}

export class Listing implements Playlist {
  readonly timeline: Timeline
  readonly folder: SegmentFolder
  readonly renditions: readonly Rendition[]
  readonly rendered = new Map<string, { version: number; body: Promise<Buffer> }>()

  constructor({ timeline, folder }: Playlist, renditions: readonly { height: RenditionHeight; playlist: Playlist }[]) {
    this.timeline = timeline
    this.folder = folder
    this.renditions = renditions.map(({ height, playlist }) => new Rendition(height, playlist))
  }

  /** Adds a part to all playlists. `target` is the duration of the longest part of its run. */
  add(part: CutPart, endsSegment: boolean, target: number, run: ListedRun): void {
    const { timeline } = this
    if (timeline.last?.init !== run.init) this.#endSegment()
    timeline.partTarget ||= target
    const programTime = run.beganAt + 1000 * part.time
    const before = timeline.last
    timeline.addPart(run.init, part, programTime)
    const segment = timeline.last
    if (endsSegment) this.#endSegment()
    if (part.lost > 0) timeline.addGap(run.init, part.lost, programTime + 1000 * part.duration)
    this.#changed()
    if (this.renditions.length === 0 || !segment) return
    const { init, video, shift, pictures } = run
    const cut = {
      ...{ segment, init, programTime, begins: segment !== before, ends: endsSegment, video },
      ...{ time: part.time + shift, duration: part.duration, lost: part.lost },
      sound: readTracks(part.data).filter(({ track }) => track !== video?.id),
    }
    for (const rendition of this.renditions) {
      rendition.timeline.partTarget = timeline.partTarget
      rendition.list({ ...cut, pictures: pictures.get(rendition.height) ?? noFrames })
    }
  }

  break(): void {
    this.#endSegment()
    this.timeline.break()
  }

  end(): void {
    this.timeline.end()
    for (const rendition of this.renditions) rendition.end()
  }

  get waiting(): number {
    return [this, ...this.renditions].reduce((sum, { timeline }) => sum + timeline.waiting, 0)
  }

  async remove(): Promise<void> {
    await Promise.all([this, ...this.renditions].map(({ folder }) => folder.remove()))
  }

  #endSegment(): void {
    const segment = this.timeline.endSegment()
    if (!segment) return
    const parts = segment.parts.flatMap(({ data }) => data ?? [])
    void this.folder.keep(segment.name, parts)
  }

  #changed(): void {
    const gone = this.timeline.changed()
    if (gone.length > 0) void this.folder.forget(gone.map(({ name }) => name)).catch(() => {})
  }
}
