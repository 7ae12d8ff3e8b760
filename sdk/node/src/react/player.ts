'use client'

import { type ElementDeclaration, flag, flagOrText, number, text, unless } from './declaration.ts'
import { createWrapper, type WrapperProps } from './wrapper.ts'

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

export interface Props {
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

export type MillPlayerProps = WrapperProps<Props, MillPlayerEvents>

export const player: ElementDeclaration<MillPlayerElement, Props, MillPlayerEvents> = {
  tag: 'mill-player',
  component: 'MillPlayer',
  script: '/v1/stream/player/mill-player.js',
  attributes: {
    token: text('token'),
    playbackId: text('playback-id'),
    src: text('src'),
    view: text('view'),
    title: text('title'),
    poster: text('poster'),
    captions: text('captions'),
    color: text('color'),
    autoplay: flag('autoplay'),
    muted: flag('muted'),
    loop: flag('loop'),
    start: number('start'),
    controls: unless('controls', 'none'),
    speeds: { name: 'speeds', write: (speeds) => speeds?.join(' ') },
    chapters: { name: 'chapters', write: (chapters) => (typeof chapters === 'string' ? chapters : undefined) },
    cast: flagOrText('cast'),
    remote: unless('remote', 'none'),
    keys: unless('keys', 'none'),
    resume: flagOrText('resume'),
    transcript: flagOrText('transcript'),
  },
  events: {
    ready: 'ready',
    play: 'play',
    pause: 'pause',
    ended: 'ended',
    time: 'time',
    volume: 'volume',
    speed: 'speed',
    quality: 'quality',
    captions: 'captions',
    sound: 'sound',
    cast: 'cast',
    error: 'error',
  },
  // The player keeps a list of chapters until the element is removed.
  properties: {
    names: ['chapters'],
    set(element, { chapters }) {
      if (Array.isArray(chapters)) element.setChapters(chapters)
    },
  },
}

/** Plays a video with `<mill-player>`. The methods of the element work after `onReady`. */
export const MillPlayer = createWrapper(player)
