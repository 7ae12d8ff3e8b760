import type { Listed } from '#sql/work/jobs.ts'
import { ago } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { flowsSection, schedulesSection } from './section.ts'

/** Renders the status of a job, and the reason if it waits. */
export function jobState(job: Listed): Html {
  const look =
    job.status === 'waiting' && job.phase === 'timed' ? (job.attempts > 0 ? 'retry' : 'scheduled') : undefined
  const badge = look ? statusBadge(look, { shown: look }) : statusBadge(job.status)
  const why = reasonOf(job)
  return html`${badge}${why && html` ${quiet(why)}`}`
}

function reasonOf({ phase, due_at, blocked_by, concurrency_key, rate_key }: Listed): Content {
  if (phase === 'timed') return html`starts ${ago(due_at)}`
  if (phase === 'paced') return html`starts ${ago(due_at)}, limited by the rate key ${rate_key}`
  if (phase === 'held') return `waits for the concurrency key ${concurrency_key}`
  return phase === 'blocked' && `waits for ${blocked_by} ${blocked_by === 1 ? 'job' : 'jobs'}`
}

/** Renders the method, host and path of a job. The query can contain secrets, so lists do not show it. */
export function callOf({ method, url }: Pick<Listed, 'method' | 'url'>): Html {
  const { host, pathname } = new URL(url)
  return html`<span class="call"><b class="method">${method}</b> <code>${host}${pathname}</code></span>`
}

/** Renders the status code of the last response and the error. Only the error of a failed job is emphasised. */
export function responseOf({ status, response_status, error }: Pick<Listed, 'status' | 'response_status' | 'error'>) {
  if (error === null) return response_status ?? quiet('none')
  const words = status === 'failed' ? html`<span class="bad">${error}</span>` : quiet(error)
  return response_status === null ? words : html`${response_status} ${words}`
}

const origins = {
  schedule: ['Schedule', schedulesSection.path],
  flow: ['Flow', flowsSection.path],
  // Each received webhook creates its own job.
  source: ['Received webhook', '/app/intake/requests'],
  rule: ['Rule', '/app/automation/rules'],
} as const

/** Renders a link to the object that created the job. */
export function originOf({
  origin_kind: kind,
  origin_id: id,
}: Pick<Listed, 'origin_kind' | 'origin_id'>): Html | string {
  if (kind === null || id === null) return 'API'
  const [words, path] = origins[kind]
  return html`<a href="${path}/${id}">${words}</a>`
}
