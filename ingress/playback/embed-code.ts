import { copyableCode } from '../http/html/copyable-code.ts'
import { type Html, html } from '../http/html/html.ts'

const entities: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;' }

const attribute = (text: string): string => text.replace(/[&"<]/g, (one) => entities[one] as string)

/** Returns the HTML of an iframe with the player page at `url`. */
export const iframeCode = (url: string, title: string): string =>
  `<iframe src="${attribute(url)}" title="${attribute(title)}" width="960" height="540" style="border: 0" allow="autoplay; fullscreen; picture-in-picture" allowfullscreen></iframe>`

/** Returns the HTML of the player element. `source` is its attribute that names the video. For example, `playback-id`. */
export const playerCode = (base: string, source: Readonly<Record<string, string>>, title: string): string => {
  const given = Object.entries({ ...source, title }).map(([name, value]) => ` ${name}="${attribute(value)}"`)
  return `<script type="module" src="${base}/v1/stream/player/mill-player.js"></script>\n<mill-player${given.join('')}></mill-player>`
}

/** Renders embed codes with copy buttons, each with its heading. */
export const embedCodes = (codes: readonly (readonly [name: string, code: string])[]): Html =>
  html`${codes.map(([name, code]) => html`<h3>${name}</h3>${copyableCode(code, 'html', `the code: ${name}`)}`)}`

/** Says where the player can be embedded, with a link to the page that restricts it. */
export const allowedSites = (origins: readonly string[], path: string): Html =>
  origins.length === 0
    ? html`<p class="hint">Every site can embed the player. <a href="${path}">Restrict it to your sites</a></p>`
    : html`<p class="hint">Only these sites can embed the player: ${origins.join(', ')}. <a href="${path}">Change the sites</a></p>`
