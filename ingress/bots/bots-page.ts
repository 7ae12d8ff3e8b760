import { z } from 'zod'
import { daySpans } from '../http/console/day-spans.ts'
import { page } from '../http/console/page.ts'
import { html } from '../http/html/html.ts'
import { spanLinks } from '../http/html/plot.ts'

export const section = { title: 'Bots', path: '/ops/bots', group: 'Knowledge and trust' } as const

/** Displays counts and failures, but no messages. */
export const overview = page({
  path: '/bots',
  summary: 'Show answers and failures of bots',
  section,
  query: z.object({ span: z.enum(daySpans).catch('7d') }),
  async view({ region, query: { span } }) {
    const main = html`<div class="title"><h1>Bots</h1>${spanLinks('/ops/bots', span, daySpans)}</div>
${await region(`bots/${span}`)}`
    return { title: 'Bots', main }
  },
})
