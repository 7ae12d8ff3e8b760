import { maskText } from '#lib/mask.ts'
import type { JobSummary } from '#sql/jobs/list.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago } from '../http/html/format.ts'
import { type Html, html, quiet } from '../http/html/html.ts'
import { mark, renderProgressBar } from '../http/html/marks.ts'

export const jobPath = (name: string): string => `/ops/jobs/${encodeURIComponent(name)}`

export function jobLink({ name, task }: Pick<JobSummary, 'name' | 'task'>): Html {
  const short = name.length > 20 ? `${name.slice(0, 8)}…${name.slice(-4)}` : name
  return html`<a href="${jobPath(name)}" title="${name}">${task} <span class="id">${short}</span></a>`
}

export const firstLine = (error: string): string => maskText(error.split('\n', 1)[0] ?? '')

export const renderJobsTable = (jobs: readonly JobSummary[], caption: string): Html =>
  dataTable(caption, jobs, {
    Job: ['', jobLink],
    Status: (job) =>
      html`${mark(job.state)}${job.state === 'running' && job.run_id !== null && html` ${renderProgressBar(job.progress ?? 0, job.task)}`}`,
    Pool: ({ pool }) => pool,
    Added: ({ created_at }) => ago(created_at),
    Due: when,
    Attempts: ['number', ({ attempts, max_attempts: most }) => html`${attempts}${most !== null && ` of ${most}`}`],
    'Last error': [
      'error',
      ({ error }) =>
        error === null ? quiet('none') : html`<span title="${maskText(error)}">${firstLine(error)}</span>`,
    ],
  })

function when({ finished_at: ended, due_at: due }: JobSummary): Html {
  if (ended !== null) return html`ended ${ago(ended)}`
  return due === null ? quiet('–') : ago(due)
}
