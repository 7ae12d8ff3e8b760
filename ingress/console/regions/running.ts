import type { DatabasePool } from '#sql/db.ts'
import { type JobSummary, list } from '#sql/jobs/list.ts'
import { queues } from '#tasks/pools.ts'
import { since } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { renderProgressBar } from '../../http/html/marks.ts'
import { jobLink } from '../jobs-table.ts'

const shown = 12

export async function running(db: DatabasePool): Promise<Html> {
  const { jobs, next } = await list(db, queues, { state: 'running' }, { limit: shown })
  if (jobs.length === 0) return html`<p class="empty">No running jobs.</p>`
  return html`<table class="data stacks">
<caption class="unseen">Running jobs</caption>
<thead><tr><th scope="col">Job</th><th scope="col">Host</th><th scope="col">Running for</th><th scope="col">Progress</th></tr></thead>
<tbody>${jobs.map(row)}</tbody>
</table>
${next !== null && html`<p class="more"><a href="/ops/jobs?state=running">All running jobs</a></p>`}`
}

function row(job: JobSummary): Html {
  return html`<tr data-key="running-${job.name}">
<th scope="row">${jobLink(job)}</th>
<td data-label="Host">${job.host ?? '–'}</td>
<td data-label="For">${since(job.started_at)}</td>
<td data-label="Progress" class="wide">${job.run_id === null ? html`<span class="quiet">not reported</span>` : renderProgressBar(job.progress ?? 0, job.task)}</td>
</tr>`
}
