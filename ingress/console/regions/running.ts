import type { DatabasePool } from '#sql/db.ts'
import { type JobSummary, list } from '#sql/jobs/list.ts'
import { queues } from '#tasks/pools.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { since } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
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
  dataTable({ caption: 'Running jobs', key: ({ name }) => `running-${name}` }, jobs, {
    Job: ['', jobLink],
    Host: ({ host }) => host ?? '–',
    'Running for': ({ started_at }) => since(started_at),
    Progress: [
      'wide',
      (job) => (job.run_id === null ? quiet('not reported') : renderProgressBar(job.progress ?? 0, job.task)),
    ],
  })
