import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as overview from '#sql/guard/overview.ts'
import { page } from '../http/console/page.ts'
import { html } from '../http/html/html.ts'
import { spanLinks } from '../http/html/plot.ts'
import { mustFind } from '../http/must-find.ts'
import { guardSpans } from './guard-region.ts'

export const guardSection = { title: 'Guard', path: '/ops/guard', group: 'Knowledge and trust' } as const

const Span = z.object({ span: z.enum(guardSpans).catch('24h') })

export const list = page({
  path: '/guard',
  summary: 'Show challenge results',
  section: guardSection,
  query: Span,
  async view({ region, query: { span } }) {
    const main = html`<div class="title"><h1>Guard</h1>${spanLinks('/ops/guard', span, guardSpans)}</div>
${await region(`guard/${span}`)}`
    return { title: 'Guard', main }
  },
})

export const site = page({
  path: '/guard/sites/{siteId}',
  summary: 'Show challenge results of a site',
  section: guardSection,
  params: z.object({ siteId: Id }),
  query: Span,
  async view({ db, region, params: { siteId }, query: { span } }) {
    const [found] = await overview.listSites(db, new Date(), { limit: 1, siteId })
    const { name } = await mustFind(Promise.resolve(found), 'site')
    const main = html`<p class="trail"><a href="/ops/guard?span=${span}">Guard</a></p>
<div class="title"><h1>${name}</h1>${spanLinks(`/ops/guard/sites/${siteId}`, span, guardSpans)}</div>
${await region(`guard-site/${span}/${siteId}`)}`
    return { title: `Guard: ${name}`, main }
  },
})
