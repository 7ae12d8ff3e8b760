import { z } from 'zod'
import { page } from '../http/console/page.ts'
import { type Html, html } from '../http/html/html.ts'
import { spanLinks } from '../http/html/plot.ts'
import { spanNames } from './regions/plots.ts'
import { sections } from './sections.ts'

export const SpanQuery = z.object({ span: z.enum(spanNames).catch('1h') })

export const show = page({
  path: '',
  summary: 'Show the state of the queue',
  section: sections.overview,
  query: SpanQuery,
  async view({ region, notices, query: { span } }) {
    // The notices are read one after the other, so that the page needs only one connection when the database is
    // overloaded.
    const noticed: Html[] = []
    for (const name of notices) noticed.push(await region(name))
    const main = html`<h1>Overview</h1>
${noticed}
${await region('fleet')}
<section aria-labelledby="history"><div class="title"><h2 id="history">History</h2>${spanLinks('/ops', span, spanNames)}</div>
${await region(`plots/${span}`)}</section>
<div class="columns">
<section aria-labelledby="running"><h2 id="running">Running jobs</h2>${await region('running')}</section>
<section aria-labelledby="failing"><h2 id="failing">Failures in the last 24 hours</h2>${await region('failing')}</section>
</div>
<section aria-labelledby="recent"><h2 id="recent">Recent actions</h2>${await region('recent')}</section>`
    return { title: 'Overview', main }
  },
})
