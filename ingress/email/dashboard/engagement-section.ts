import type { z } from 'zod'
import { dataTable } from '../../http/html/data-table.ts'
import { count, counted, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { Engagement } from '../messages/engagement.ts'

type Shown = z.input<typeof Engagement>

const words = ({ count: requests, machine_count, first_at }: Shown['opens'], noun: string): string =>
  [
    counted(requests, noun),
    first_at && `first ${formatInstant(first_at as Date)} UTC`,
    machine_count > 0 && `${count(machine_count)} by machines`,
  ]
    .filter(Boolean)
    .join(', ')

/** Opens and clicks of a message. Undefined if there were none. */
export function engagementSection({ opens, clicks, links }: Shown): Html | undefined {
  const total = [opens, clicks].reduce((all, one) => all + one.count + one.machine_count, 0)
  if (total === 0) return undefined
  return html`<section><h2>Opens and clicks</h2><dl class="facts"><div><dt>Opens</dt><dd>${words(opens, 'open')}</dd></div><div><dt>Clicks</dt><dd>${words(clicks, 'click')}</dd></div></dl>
${
  links.length > 0 &&
  dataTable({ caption: 'Links', key: ({ url }) => url }, links, {
    Link: ['break', ({ url }) => url],
    Clicks: ['number', (link) => count(link.count)],
    'By machines': ['number', ({ machine_count }) => count(machine_count)],
  })
}</section>`
}
