import { maskText } from '#lib/mask.ts'
import type { JobSummary } from '#sql/jobs/list.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago } from '../http/html/format.ts'
import { type Content, type Html, html } from '../http/html/html.ts'
import { mark, renderProgressBar } from '../http/html/marks.ts'

export const jobPath = (name: string): string => `/ops/jobs/${encodeURIComponent(name)}`

export function jobLink({ name, task }: Pick<JobSummary, 'name' | 'task'>): Html {
  const short = name.length > 20 ? `${name.slice(0, 8)}…${name.slice(-4)}` : name
  return html`<a href="${jobPath(name)}" title="${name}">${task} <span class="id">${short}</span></a>`
}

export const firstLine = (error: string): string => maskText(error.split('\n', 1)[0] ?? '')

export const renderJobsTable = (jobs: readonly JobSummary[], caption: Content): Html =>
  dataTable(caption, jobs, [
    { title: 'Job', style: '', cell: jobLink },
    {
      title: 'Status',
      cell: (job) =>
        html`${mark(job.state)}${job.state === 'running' && job.run_id !== null && html` ${renderProgressBar(job.progress ?? 0, job.task)}`}`,
    },
    { title: 'Pool', cell: ({ pool }) => pool },
    { title: 'Added', cell: ({ created_at }) => ago(created_at) },
    { title: 'Due', cell: when },
    {
      title: 'Attempts',
      style: 'number',
      cell: ({ attempts, max_attempts: most }) => html`${attempts}${most !== null && ` of ${most}`}`,
    },
    {
      title: 'Last error',
      style: 'error',
      cell: ({ error }) =>
        error === null
          ? html`<span class="quiet">none</span>`
          : html`<span title="${maskText(error)}">${firstLine(error)}</span>`,
    },
  ])

function when({ finished_at: ended, due_at: due }: JobSummary): Html {
  if (ended !== null) return html`ended ${ago(ended)}`
  return due === null ? html`<span class="quiet">–</span>` : ago(due)
}
