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
declare module '*/style.js' {
  export const style: string
}
declare module '*/mill-player.js' {}
declare module '*/hls.js' {
  import Hls from 'hls.js'
  // biome-ignore lint/style/noDefaultExport: the library has a default export
  export default Hls
}

interface Window {
  player: import('hls.js').default
}
declare var Hls: typeof import('hls.js').default
declare var uPlot: typeof import('uplot')
declare var SimpleWebAuthnBrowser: typeof import('@simplewebauthn/browser')
