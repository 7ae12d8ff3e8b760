import { z } from 'zod'
import { type Html, html } from './html.ts'
import { page } from './page.ts'
import { spanNames } from './regions/plots.ts'
import { region } from './topics.ts'

/** The query of pages with plots. */
export const SpanQuery = z.object({ span: z.enum(spanNames).catch('1h') })

/** The choice between spans on the page at `path`. */
export function spanLinks(path: string, chosen: string, names: readonly string[] = spanNames): Html {
  const links = names.map(
    (span) => html`<a href="${path}?span=${span}"${span === chosen && html` aria-current="true"`}>${span}</a>`,
  )
  return html`<nav class="spans" aria-label="Span of the plots">${links}</nav>`
}

/** `GET /ops`: how the fleet does. */
export const show = page({
  path: '',
  summary: 'How the fleet does',
  section: 'overview',
  query: SpanQuery,
  async view({ db, query: { span } }) {
    // One after the other: a page that is asked for in distress holds one connection only.
    const main = html`<h1>Overview</h1>
${await region(db, 'scanner')}
${await region(db, 'fleet')}
<section aria-labelledby="history"><div class="title"><h2 id="history">History</h2>${spanLinks('/ops', span)}</div>
${await region(db, `plots/${span}`)}</section>
<div class="columns">
<section aria-labelledby="running"><h2 id="running">Running now</h2>${await region(db, 'running')}</section>
<section aria-labelledby="failing"><h2 id="failing">Failing, last 24 h</h2>${await region(db, 'failing')}</section>
</div>
<section aria-labelledby="recent"><h2 id="recent">Recent actions</h2>${await region(db, 'recent')}</section>`
    return { title: 'Overview', main }
  },
})
