// Types for browser JavaScript: page elements, modules that the ingress generates, and libraries.

/**
 * An element that always exists: the ingress renders the page for its JavaScript. It has the properties of every kind
 * of element that pages use. A misspelled property is an error, and no element needs a cast.
 */
type PageElement = {
  readonly children: HTMLCollectionOf<PageElement>
  readonly content: { cloneNode(deep: true): { firstElementChild: PageElement } }
  readonly elements: Record<string, PageElement>
  readonly files: FileList
  readonly firstElementChild: PageElement
  readonly parentElement: PageElement
  srcObject: MediaStream | null
  getContext(type: '2d'): CanvasRenderingContext2D
} & HTMLCanvasElement &
  HTMLDetailsElement &
  HTMLDialogElement &
  HTMLInputElement &
  Omit<HTMLSelectElement, 'type'> &
  HTMLVideoElement &
  Pick<HTMLAnchorElement, 'href'> &
  Pick<HTMLFormElement, 'action' | 'requestSubmit' | 'submit'>

/** The document or a shadow root. */
interface PageRoot extends DocumentOrShadowRoot {
  getElementById(id: string): PageElement
}

interface Document {
  getElementById(id: string): PageElement
}
interface DocumentFragment {
  getElementById(id: string): PageElement
}
interface ParentNode {
  querySelector(selector: string): PageElement
  querySelectorAll(selector: string): NodeListOf<PageElement>
}
interface Element {
  closest(selector: string): PageElement | null
}

declare module '*/sentences.js' {
  export const sentences: Record<string, string>
}
declare module '*/parts.js' {
  export const parts: string
}
declare module '*/panels.js' {
  export const panels: string
}
declare module '*/style.js' {
  export const style: string
}
declare module '*/mill-player.js' {}
declare module '*/hls.js' {
  import Hls from 'hls.js'
  // biome-ignore lint/style/noDefaultExport: the library has a default export
  export default Hls
}

/** The parts of the Google Cast library that the player uses. The player loads it on use. */
interface CastSession {
  loadMedia(request: CastRequest): Promise<unknown>
  getCastDevice(): { friendlyName: string }
}
interface CastContext {
  setOptions(options: Record<string, string>): void
  requestSession(): Promise<string | undefined>
  getCurrentSession(): CastSession
  endCurrentSession(stops: boolean): void
}
interface CastPlayer {
  currentTime: number
  isPaused: boolean
  isConnected: boolean
}
interface CastController {
  playOrPause(): void
  seek(): void
  addEventListener(type: string, act: () => void): void
}
interface CastMedia {
  streamType: string
  hlsSegmentFormat: string
  hlsVideoSegmentFormat: string
  metadata: { title?: string; images?: unknown[] }
}
interface CastRequest {
  autoplay: boolean
  currentTime: number
}
declare var cast: {
  framework: {
    CastContext: { getInstance(): CastContext }
    RemotePlayer: new () => CastPlayer
    RemotePlayerController: new (player: CastPlayer) => CastController
    RemotePlayerEventType: Record<string, string>
  }
}
declare var chrome: {
  cast: {
    AutoJoinPolicy: Record<string, string>
    Image: new (url: string) => unknown
    media: {
      MediaInfo: new (url: string, type: string) => CastMedia
      LoadRequest: new (media: CastMedia) => CastRequest
      GenericMediaMetadata: new () => CastMedia['metadata']
      StreamType: Record<string, string>
      HlsSegmentFormat: Record<string, string>
      HlsVideoSegmentFormat: Record<string, string>
    }
  }
}
declare var __onGCastApiAvailable: (isAvailable: boolean) => void

interface Window {
  player: import('hls.js').default
}
declare var Hls: typeof import('hls.js').default
declare var uPlot: typeof import('uplot')
declare var SimpleWebAuthnBrowser: typeof import('@simplewebauthn/browser')
