import type { LiveState, LiveStats } from './channel.ts'
import type { CutPart } from './part-cutter.ts'
import type { RenditionFacts } from './renditions.ts'
import type { Track } from './tracks.ts'

const window = 10

/** Maximum key frame interval in seconds without a warning. */
const longestGroup = 4

export class PublicationStats {
  state: LiveState = 'connecting'
  lastPart: LiveStats['lastPart'] = null
  /** Announced video codec, if Millrace does not broadcast this codec. */
  foreign: string | undefined
  #renditions: readonly RenditionFacts[] = []
  #transcode: (() => LiveStats['transcode']) | undefined
  #recent: { bytes: number; duration: number; frames: number }[] = []
  #tracks: Track[] = []
  #lastPartAt: number | null = null
  #lastKey: number | null = null
  #keyFrameSeconds: number | null = null
  #reordered = false

  /** True if the video has B-frames. */
  get isReordered(): boolean {
    return this.#reordered
  }

  begin(tracks: Track[], renditions: readonly RenditionFacts[], transcode: () => LiveStats['transcode']): void {
    this.#tracks = tracks
    this.#renditions = renditions
    this.#transcode = transcode
    this.#lastKey = null
  }

  add({ data, duration, frames, time, hasKey, reordered }: CutPart, at: number): void {
    this.#lastPartAt = at
    this.#recent.push({ bytes: data.length, duration, frames })
    while (this.#seconds() - (this.#recent[0]?.duration ?? 0) > window) this.#recent.shift()
    this.#reordered ||= reordered
    if (!hasKey) return
    if (this.#lastKey !== null) this.#keyFrameSeconds = time - this.#lastKey
    this.#lastKey = time
  }

  read(viewers: number): LiveStats {
    const seconds = this.#seconds() || 1
    const sum = (of: 'bytes' | 'frames') => this.#recent.reduce((total, part) => total + part[of], 0)
    const video = this.#tracks.find(({ kind }) => kind === 'video')
    const audio = this.#tracks.find(({ kind }) => kind === 'audio')
    return {
      state: this.state,
      lastPart: this.lastPart,
      lastPartAt: this.#lastPartAt,
      viewers,
      renditions: this.#renditions,
      transcode: this.#transcode?.(),
      keyFrameSeconds: this.#keyFrameSeconds,
      bitRate: Math.round((8 * sum('bytes')) / seconds),
      framesPerSecond: Math.round((100 * sum('frames')) / seconds) / 100,
      video: video ? { codec: video.codec, width: video.width, height: video.height } : null,
      audio: audio ? { codec: audio.codec, sampleRate: audio.sampleRate, channels: audio.channels } : null,
      warnings: this.#warnings(video !== undefined, audio?.codec),
    }
  }

  /** True if the profile has more than 8 bits or a finer chroma format than browsers decode (ISO/IEC 14496-10, A.2). */
  #isUncommon(): boolean {
    const codec = this.#tracks.find(({ kind }) => kind === 'video')?.codec ?? ''
    return /^avc1\.(6E|7A|F4|2C)/i.test(codec)
  }

  #seconds(): number {
    return this.#recent.reduce((total, { duration }) => total + duration, 0)
  }

  #warnings(hasVideo: boolean, audioCodec: string | undefined): string[] {
    const group = this.#keyFrameSeconds
    return [
      ...(this.#reordered
        ? ['The publisher sends B-frames, which increase the delay for every viewer. Turn them off.']
        : []),
      ...(group !== null && group > longestGroup
        ? [
            `Key frames are ${group.toFixed(1)} s apart. Set the key frame interval to 2 s. The maximum is ${longestGroup} s.`,
          ]
        : []),
      ...(this.#isUncommon() ? ['Browsers cannot play this kind of H.264. Use 8 bits and 4:2:0 (yuv420p).'] : []),
      ...(this.#tracks.length > 0 && !hasVideo ? [noVideo(this.foreign)] : []),
      ...(this.#tracks.length > 0 && !isAac(audioCodec)
        ? [
            `No AAC audio is arriving${audioCodec ? `, but ${audioCodec}, which not every player supports. Set the encoder to AAC` : ''}.`,
          ]
        : []),
    ]
  }
}

const noVideo = (foreign: string | undefined): string =>
  foreign
    ? `${foreign} video is arriving, which Millrace does not broadcast. Set the encoder to H.264.`
    : 'No H.264 video is arriving.'

/** True for AAC variants that players support (ISO/IEC 14496-3, 1.5.1.1). MP3 also uses `mp4a`. */
const isAac = (codec = ''): boolean => /^mp4a\.40\.(2|5|29)$/.test(codec)
