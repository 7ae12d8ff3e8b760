import { z } from 'zod'
import { daySpans } from '../http/console/day-spans.ts'
import { page } from '../http/console/page.ts'
import { html } from '../http/html/html.ts'
import { spanLinks } from '../http/html/plot.ts'

export const languageWork = { title: 'AI', path: '/ops/ai', group: 'Knowledge and trust' } as const

export const overview = page({
  path: '/ai',
  summary: 'Show AI usage',
  section: languageWork,
  query: z.object({ span: z.enum(daySpans).catch('7d') }),
  async view({ region, query: { span } }) {
    const main = html`<div class="title"><h1>AI</h1>${spanLinks('/ops/ai', span, daySpans)}</div>
${await region(`ai/${span}`)}
<p class="quiet">If a server does not report tokens, four characters count as one.</p>`
    return { title: 'AI', main }
  },
})
