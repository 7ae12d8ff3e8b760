import { html } from '../../http/html/html.ts'
import { playerModules } from '../player.ts'

interface Embedded {
  poster: boolean
  title: string | null
  /** Token for quality beacons of a player without a playback token. */
  view: string | undefined
}

export const renderEmbeddedPlayer = ({ poster, title, view }: Embedded): string =>
  html`${playerModules.map(
    (path) => html`<link rel="modulepreload" href="${path}">
`,
  )}<main><mill-player src="master.m3u8" poster="${poster ? 'poster.jpg' : ''}"${title !== null && html` title="${title}"`}${
    view !== undefined && html` view="${view}"`
  }></mill-player></main>
<script type="module" src="/v1/stream/player/player.js"></script>`.text
