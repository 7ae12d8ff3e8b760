import { maskText } from '#lib/mask.ts'
import type { JobSummary } from '#sql/jobs/list.ts'
import { ago } from '../http/html/format.ts'
import { type Content, type Html, html } from '../http/html/html.ts'
import { mark, renderProgressBar } from '../http/html/marks.ts'

export const jobPath = (name: string): string => `/ops/jobs/${encodeURIComponent(name)}`

export function jobLink({ name, task }: Pick<JobSummary, 'name' | 'task'>): Html {
  const short = name.length > 20 ? `${name.slice(0, 8)}…${name.slice(-4)}` : name
  return html`<a href="${jobPath(name)}" title="${name}">${task} <span class="id">${short}</span></a>`
}

export const firstLine = (error: string): string => maskText(error.split('\n', 1)[0] ?? '')

export function renderJobsTable(jobs: readonly JobSummary[], caption: Content): Html {
  return html`<table class="data stacks">
<caption class="unseen">${caption}</caption>
<thead><tr><th scope="col">Job</th><th scope="col">Status</th><th scope="col">Pool</th><th scope="col">Added</th>
<th scope="col">Due</th><th scope="col" class="number">Attempts</th><th scope="col">Last error</th></tr></thead>
<tbody>${jobs.map(row)}</tbody>
</table>`
}

function row(job: JobSummary): Html {
  const { max_attempts: most, attempts } = job
  return html`<tr>
<th scope="row">${jobLink(job)}</th>
<td data-label="Status">${mark(job.state)}${job.state === 'running' && job.run_id !== null && html` ${renderProgressBar(job.progress ?? 0, job.task)}`}</td>
<td data-label="Pool">${job.pool}</td>
<td data-label="Added">${ago(job.created_at)}</td>
<td data-label="Due">${when(job)}</td>
<td class="number" data-label="Attempts">${attempts}${most !== null && ` of ${most}`}</td>
<td class="error" data-label="Last error">${job.error === null ? html`<span class="quiet">none</span>` : html`<span title="${maskText(job.error)}">${firstLine(job.error)}</span>`}</td>
</tr>`
}

function when({ finished_at: ended, due_at: due }: JobSummary): Html {
  if (ended !== null) return html`ended ${ago(ended)}`
  return due === null ? html`<span class="quiet">–</span>` : ago(due)
}
