import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { poolNames } from '#tasks/pools.ts'
import { page } from '../http/console/page.ts'
import { html, queryString } from '../http/html/html.ts'
import { spanLinks } from '../http/html/plot.ts'
import { SpanQuery } from './overview.ts'
import { spanNames } from './regions/plots.ts'
import { sections } from './sections.ts'

export const show = page({
  path: '/pools/{pool}',
  summary: 'Show the state of a pool',
  section: sections.overview,
  params: z.object({ pool: z.string() }),
  query: SpanQuery,
  async view({ region, params: { pool }, query: { span } }) {
    if (!(poolNames as string[]).includes(pool)) throw notFound('pool')
    const main = html`<p class="trail"><a href="/ops">Overview</a></p>
<div class="title"><h1>Pool ${pool}</h1><a href="/ops/jobs${queryString({ pool })}">Jobs in this pool</a></div>
${await region(`pool/${pool}`)}
<section aria-labelledby="history"><div class="title"><h2 id="history">History</h2>${spanLinks(`/ops/pools/${pool}`, span, spanNames)}</div>
${await region(`plots/${span}/${pool}`)}</section>`
    return { title: `Pool ${pool}`, main }
  },
})
