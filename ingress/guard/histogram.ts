import { count } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'

const [width, height] = [600, 150]

/** Renders a bar chart. Also renders the numbers as a list for screen readers. */
export function renderHistogram(title: string, bars: readonly { label: string; value: number }[]): Html {
  if (bars.length === 0)
    return html`<figure class="plot"><figcaption><b>${title}</b></figcaption><p class="empty">No solved challenges.</p></figure>`
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const step = width / bars.length
  const drawn = bars.map(({ value }, i) => {
    const [x, tall] = [i * step + step * 0.1, (value / most) * (height - 4)]
    return html`<path class="tone-1" d="M${Math.round(x)} ${height}v${-Math.round(tall * 10) / 10}h${Math.round(step * 0.8)}v${Math.round(tall * 10) / 10}z" fill="currentColor"/>`
  })
  return html`<figure class="plot"><figcaption><b>${title}</b><p class="quiet">highest ${count(most)}</p></figcaption>
<div class="canvas bars" role="img" aria-label="${title}: ${bars.map(({ label, value }) => `${label}: ${count(value)}`).join('; ')}."><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">${drawn}</svg></div>
<ul class="legend">${bars.map(({ label, value }) => html`<li>${label} <b>${count(value)}</b></li>`)}</ul></figure>`
}
