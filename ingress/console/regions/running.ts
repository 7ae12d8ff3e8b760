import type { DatabasePool } from '#sql/db.ts'
import { type JobSummary, list } from '#sql/jobs/list.ts'
import { queues } from '#tasks/pools.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { since } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { renderProgressBar } from '../../http/html/marks.ts'
import { jobLink } from '../jobs-table.ts'

const shown = 12

export async function running(db: DatabasePool): Promise<Html> {
  const { jobs, next } = await list(db, queues, { state: 'running' }, { limit: shown })
  if (jobs.length === 0) return html`<p class="empty">No running jobs.</p>`
  return html`${runningTable(jobs)}
${next !== null && html`<p class="more"><a href="/ops/jobs?state=running">All running jobs</a></p>`}`
}

const runningTable = (jobs: readonly JobSummary[]): Html =>
  dataTable(
    'Running jobs',
    jobs,
    [
      { title: 'Job', style: '', cell: jobLink },
      { title: 'Host', cell: ({ host }) => host ?? '–' },
      { title: 'Running for', cell: ({ started_at }) => since(started_at) },
      {
        title: 'Progress',
        style: 'wide',
        cell: (job) =>
          job.run_id === null
            ? html`<span class="quiet">not reported</span>`
            : renderProgressBar(job.progress ?? 0, job.task),
      },
    ],
    { key: ({ name }) => `running-${name}` },
  )
