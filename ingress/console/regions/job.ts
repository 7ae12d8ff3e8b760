import { maskText } from '#lib/mask.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { JobAttempt } from '#sql/jobs/job.ts'
import { describeJob, type JobDescription } from '#tasks/jobs/rules/describe.ts'
import { UnknownNameError } from '#tasks/jobs/rules/names.ts'
import { confirmLink } from '../../http/console/buttons.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, duration } from '../../http/html/format.ts'
import { type Content, type Html, html, queryString, quiet } from '../../http/html/html.ts'
import { mark, renderProgressBar } from '../../http/html/marks.ts'

export async function job(db: DatabasePool, [name = '']: readonly string[]): Promise<Html | null> {
  try {
    return written(await describeJob(db, name))
  } catch (error) {
    if (error instanceof UnknownNameError) return null
    throw error
  }
}

function written(job: JobDescription): Html {
  return html`<div class="title"><p class="standing">${mark(job.state)}${job.state === 'running' && job.run_id !== null && html` ${renderProgressBar(job.progress ?? 0, job.task)}`}
${job.cancel_requested_at !== null && job.state === 'running' && html`<span class="quiet">stop requested ${ago(job.cancel_requested_at)}</span>`}</p>
${buttons(job)}</div>
${facts(job)}
${job.error !== null && html`<section><h2>Last error</h2><pre class="bad-text" tabindex="0">${maskText(job.error)}</pre></section>`}
<section><h2>Attempts</h2>${attempts(job)}</section>
<section><h2>Payload</h2><p class="quiet">Secrets are masked.</p><pre tabindex="0">${json(job.payload)}</pre></section>
${job.result !== null && html`<section><h2>Result</h2><pre tabindex="0">${json(job.result)}</pre></section>`}`
}

const json = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'null'

const canBe: Record<string, readonly string[]> = {
  waiting: ['cancel', 'reschedule'],
  scheduled: ['reschedule', 'cancel'],
  paused: ['cancel', 'reschedule'],
  running: ['cancel'],
  failed: ['retry', 'discard'],
  cancelled: ['retry'],
  discarded: ['retry'],
}

const verbs: Record<string, string> = { retry: 'Retry', cancel: 'Cancel', discard: 'Discard', reschedule: 'Reschedule' }

function buttons({ state, name, task, run_id: run }: JobDescription): Html {
  const fitting = (canBe[state] ?? []).filter((action) => action !== 'cancel' || state !== 'running' || run !== null)
  return html`<p class="actions">${fitting.map((action) => html`${confirmLink(action, { job: name }, verbs[action] ?? action, task)} `)}</p>`
}

const waits = ({ state }: JobDescription) => ['waiting', 'scheduled', 'paused'].includes(state)

function facts(job: JobDescription): Html {
  const fact = (title: string, value: Content) =>
    value !== null && value !== undefined && html`<div><dt>${title}</dt><dd>${value}</dd></div>`
  const find = (text: string | null) =>
    text === null ? null : html`<a class="id" href="/ops/jobs${queryString({ search: text })}">${text}</a>`
  const { worker } = job
  return html`<dl class="facts">
${fact('Pool', html`<a href="/ops/pools/${job.pool}">${job.pool}</a>`)}
${fact('Attempts', html`${job.attempt}${job.max_attempts !== null && ` of ${job.max_attempts}`}`)}
${fact('Added', ago(job.created_at))}
${fact('Due', waits(job) && job.due_at !== null ? ago(job.due_at) : null)}
${fact('Started', job.started_at && ago(job.started_at))}
${fact('Ended', job.finished_at && ago(job.finished_at))}
${fact('Worker', worker && html`${worker.host}, process ${worker.pid}${worker.state !== 'alive' && html` ${mark(worker.state)}`}`)}
${fact('Organisation', job.org_id && html`<a href="/ops/jobs${queryString({ org: job.org_id })}" title="${job.org_id}">${job.org_name ?? job.org_id}</a>`)}
${fact('Request', find(job.request_id))}
${fact('Subject', find(job.subject))}
${fact('Run', job.run_id && html`<span class="id">${job.run_id}</span>`)}
${fact('Trace', job.trace && html`<span class="id">${job.trace.split('-')[1] ?? job.trace}</span>`)}
${fact('Key', job.key && html`<span class="id">${job.key}</span>`)}
${fact('Priority', job.priority)}
</dl>`
}

function attempts(job: JobDescription): Html {
  if (job.attempts.length === 0) {
    return html`<p class="empty">${job.run_id === null ? 'No failed attempts. Millrace records only failed attempts of this task.' : 'No attempts yet.'}</p>`
  }
  return dataTable(
    {
      caption: 'Attempts, newest first',
      key: ({ attempt, started_at }) => `attempt-${attempt}-${started_at.getTime()}`,
    },
    job.attempts,
    {
      Attempt: ['number', ({ attempt }) => html`<span class="phone-only">Attempt </span>${attempt}`],
      Outcome: ({ outcome }) => mark(outcome ?? 'running'),
      Worker: ({ host, pid }) => (host === null ? quiet('deleted') : `${host}, ${pid}`),
      Started: ({ started_at }) => ago(started_at),
      Duration: ['number', durationOf],
      Error: ['error whole', ({ error }) => (error === null ? quiet('none') : maskText(error))],
    },
  )
}

const durationOf = ({ started_at, ended_at }: JobAttempt): string =>
  ended_at ? duration((ended_at.getTime() - started_at.getTime()) / 1000) : '–'
