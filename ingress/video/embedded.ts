import { html } from '../http/console/html.ts'
import { playerModules } from './player.ts'

/** What the page of a film says to its player. */
interface Embedded {
  poster: boolean
  title: string | null
  /** Lets a player without a playback token tell how it went. */
  view: string | undefined
}

/** The player of a film in a page of its own; its script reads the address and then defines the element. */
export const embedded = ({ poster, title, view }: Embedded): string =>
  html`${playerModules.map(
    (path) => html`<link rel="modulepreload" href="${path}">
`,
  )}<main><mill-player src="master.m3u8" poster="${poster ? 'poster.jpg' : ''}"${title !== null && html` title="${title}"`}${
    view !== undefined && html` view="${view}"`
  }></mill-player></main>
<script type="module" src="/v1/stream/player/player.js"></script>`.text
