import type { Job } from '#sql/work/jobs.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { emptyState } from '../../http/html/parts.ts'

/** Renders the attempts of a job, newest first. Responses are shown only to roles that can view contents. */
export function renderAttempts({ attempt_log, status }: Pick<Job, 'attempt_log' | 'status'>, contents: boolean): Html {
  if (attempt_log.length === 0)
    return emptyState('Attempts appear here.', status === 'running' ? 'The first attempt is in progress.' : undefined)
  const newest = attempt_log.toReversed()
  return dataTable({ caption: 'Attempts, newest first', key: ({ number, at }) => `${number}-${at}` }, newest, {
    Attempt: ['', ({ number }) => String(number)],
    Time: ({ at }) => `${formatInstant(new Date(at))} UTC`,
    Response: [
      'break',
      (one) => html`${markOf(one.response_status)}${one.error && html` <span class="bad">${one.error}</span>`}`,
    ],
    Duration: ['number', ({ latency_ms }) => `${Math.round(latency_ms)} ms`],
    Body: contents && [
      'wide break',
      ({ response_head }) => (response_head ? html`<code>${response_head}</code>` : quiet('empty')),
    ],
  })
}

function markOf(status: number | null): Html {
  if (status === null) return quiet('no response')
  return statusBadge(status < 300 ? 'done' : 'failed', { shown: status })
}
