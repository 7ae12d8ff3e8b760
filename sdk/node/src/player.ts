export interface MillPlayerChapter {
  /** Start in seconds. */
  start: number
  title: string
}

export interface MillPlayerState {
  /** Position in seconds. */
  time: number
  /** Duration in seconds. `null` for a broadcast. */
  duration: number | null
  live: boolean
  paused: boolean
  ended: boolean
  muted: boolean
  volume: number
  speed: number
  quality: number | 'auto'
  captions: string | null
  sound: string | null
  qualities: number[]
  languages: string[]
  sounds: string[]
}

/** Details of the events of `<mill-player>`. */
export interface MillPlayerEvents {
  ready: MillPlayerState
  play: { time: number }
  pause: { time: number }
  ended: { time: number }
  time: { time: number; duration: number | null }
  volume: { volume: number; muted: boolean }
  speed: { speed: number }
  quality: { quality: number | 'auto' }
  captions: { language: string | null }
  sound: { sound: string }
  cast: { device: string | null }
  error: { code: string; message: string }
}

/** The element `<mill-player>`. Invalid values throw a `TypeError`. */
export interface MillPlayerElement extends HTMLElement {
  readonly video: HTMLVideoElement | null
  play(): Promise<void>
  pause(): void
  seek(seconds: number): void
  setVolume(volume: number): void
  setMuted(muted: boolean): void
  setSpeed(speed: number): void
  setQuality(quality: number | 'auto'): void
  setCaptions(language: string | null): void
  setSound(sound: string): void
  setChapters(chapters: readonly MillPlayerChapter[]): void
  goLive(): void
  state(): MillPlayerState
}

export interface MillPlayerProps {
  /** URL of Millrace, such as `https://video.example.com`. */
  baseUrl: string
  /** Token of a playback session. */
  token?: string
  /** ID of an asset that is `unlisted` or `public`. */
  playbackId?: string
  /** URL of a playlist, such as `hlsUrl`. */
  src?: string
  /** Token for analytics of a player without a playback token. */
  view?: string
  title?: string
  poster?: string
  autoplay?: boolean
  muted?: boolean
  loop?: boolean
  /** Start in seconds, or a time such as `1:30`. */
  start?: number | string
  captions?: string
  color?: string
  /** False hides the controls. */
  controls?: boolean
  speeds?: readonly number[]
  /** The chapters, or the URL of a WebVTT file. */
  chapters?: readonly MillPlayerChapter[] | string
  /** True, or the ID of a receiver application. */
  cast?: boolean | string
  /** False turns off AirPlay and the Remote Playback API. */
  remote?: boolean
  /** False turns off the keyboard shortcuts. */
  keys?: boolean
  /** True, or your ID of the viewer. */
  resume?: boolean | string
  /** True, or `open` to show the transcript at the start. */
  transcript?: boolean | 'open'
}

const flag = (value: boolean | undefined) => (value ? '' : undefined)
const allOrNone = (value: boolean | undefined) => (value === false ? 'none' : undefined)
const named = (value: boolean | string | undefined) => (value === true ? '' : value === false ? undefined : value)

/** Returns the attributes of the element. An attribute with `undefined` is not set. */
export function attributesOf(props: MillPlayerProps): Record<string, string | undefined> {
  const { token, playbackId, src, view, title, poster, captions, color, chapters } = props
  return {
    ...{ token, 'playback-id': playbackId, src, view, title, poster, captions, color },
    autoplay: flag(props.autoplay),
    muted: flag(props.muted),
    loop: flag(props.loop),
    start: props.start === undefined ? undefined : String(props.start),
    controls: allOrNone(props.controls),
    speeds: props.speeds?.join(' '),
    chapters: typeof chapters === 'string' ? chapters : undefined,
    cast: named(props.cast),
    remote: allOrNone(props.remote),
    keys: allOrNone(props.keys),
    resume: named(props.resume),
    transcript: named(props.transcript),
  }
}

const tag = 'mill-player'
const loading = new Map<string, Promise<void>>()

/** Loads the code of the element from `baseUrl`, once per page. Rejects if it cannot be loaded. The next call retries. */
export async function loadPlayer(baseUrl: string): Promise<void> {
  if (customElements.get(tag)) return
  const url = `${baseUrl.replace(/\/(?:v1\/?)?$/, '')}/v1/stream/player/mill-player.js`
  if (!loading.has(url)) loading.set(url, addScript(url))
  try {
    await loading.get(url)
  } catch (error) {
    loading.delete(url)
    throw error
  }
}

async function addScript(url: string): Promise<void> {
  const script = Object.assign(document.createElement('script'), { type: 'module', src: url, crossOrigin: 'anonymous' })
  await new Promise<void>((done, fail) => {
    script.addEventListener('load', () => done())
    script.addEventListener('error', () => {
      script.remove()
      fail(new Error(`The player could not be loaded from ${url}.`))
    })
    document.head.append(script)
  })
  await customElements.whenDefined(tag)
}
