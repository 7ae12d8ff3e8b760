import type { DatabasePool } from '#sql/db.ts'
import { type Pause, pauses } from '#sql/jobs/controls.ts'
import { type PoolOverview, readOverview, type TaskOverview } from '#sql/jobs/overview.ts'
import { queues } from '#tasks/pools.ts'
import { confirmLink } from '../../http/console/buttons.ts'
import { ago, count, duration, rate } from '../../http/html/format.ts'
import { type Content, type Html, html, queryString } from '../../http/html/html.ts'
import { mark } from '../../http/html/marks.ts'
import { actorName } from './recent.ts'

export async function fleet(db: DatabasePool): Promise<Html> {
  const pools = await readOverview(db, queues)
  return html`${tiles(pools, {})}
<table class="data stacks">
<caption>Pools</caption>
${heads('Pool')}
<tbody>${pools.map((pool) => poolRow(pool))}</tbody>
</table>`
}

export async function pool(db: DatabasePool, [name = '']: readonly string[]): Promise<Html> {
  const pools = await readOverview(
    db,
    queues.filter((queue) => queue.pool === name),
  )
  const tasks = pools.flatMap((one) => one.tasks)
  const paused = pools[0]?.paused === true
  const holding = (await pauses(db)).filter((pause) => pause.pool === name)
  return html`${holding.map(pauseNotice)}
<p class="actions">${pauseButton('pool', { pool: name }, paused, name)}</p>
${tiles(pools, { pool: name })}
${
  tasks.length === 0
    ? html`<p class="empty">No tasks in this pool have had jobs recently.</p>`
    : html`<table class="data stacks">
<caption>Tasks</caption>
${heads('Task')}
<tbody>${tasks.map((task) => taskRow(task))}</tbody>
</table>`
}`
}

function pauseNotice({ task, reason, paused_by: actor, paused_at: at }: Pause): Html {
  return html`<p class="notice">${mark('paused')} ${task || 'This pool'} is paused on every host, ${ago(at)} by ${actorName(actor)}${reason !== null && `: ${reason}`}.</p>`
}

function tiles(pools: readonly PoolOverview[], only: { pool?: string }): Html {
  const sum = (of: (pool: PoolOverview) => number) => pools.reduce((total, one) => total + of(one), 0)
  const ages = pools.flatMap(({ waiting, oldest_s }) => (waiting === 0 || oldest_s === null ? [] : [oldest_s]))
  const failed = sum((one) => one.failed)
  const tile = (title: string, value: Content, state?: string) => {
    const link = state && html`<a href="/ops/jobs${queryString({ ...only, state })}">${value}</a>`
    return html`<div class="tile"><dt>${title}</dt><dd>${link ?? value}</dd></div>`
  }
  return html`<dl class="tiles">
${tile('Pending', count(sum((one) => one.waiting)), 'waiting')}
${tile('Oldest pending job', ages.length === 0 ? '–' : duration(Math.max(...ages)))}
${tile('Running', count(sum((one) => one.running)), 'running')}
${tile('Scheduled', count(sum((one) => one.scheduled)), 'scheduled')}
${tile('Failed', failed === 0 ? count(failed) : html`<span class="bad">${count(failed)}</span>`, 'failed')}
${tile('Done per minute', rate(sum((one) => one.done_per_minute)))}
${tile('Errors per minute', rate(sum((one) => one.failed_per_minute)))}
</dl>`
}

const heads = (
  first: string,
) => html`<thead><tr><th scope="col">${first}</th><th scope="col" class="number">Pending</th>
<th scope="col" class="number">Age of oldest</th><th scope="col" class="number">Running</th><th scope="col" class="number">Scheduled</th>
<th scope="col" class="number">Failed</th><th scope="col" class="number">Done/min</th><th scope="col" class="number">Errors/min</th>
<th scope="col"><span class="unseen">Actions</span></th></tr></thead>`

function poolRow(one: PoolOverview): Html {
  const { pool: name, paused } = one
  return html`<tr data-key="pool-${name}">
<th scope="row"><a href="/ops/pools/${name}">${name}</a>${paused && html` ${mark('paused')}`}</th>
${figures(one, { pool: name })}
<td class="actions">${pauseButton('pool', { pool: name }, paused, name)}</td>
</tr>`
}

function taskRow(one: TaskOverview): Html {
  const { pool: name, task, paused } = one
  return html`<tr data-key="task-${task}">
<th scope="row"><a href="/ops/jobs${queryString({ pool: name, task })}">${task}</a>${paused && html` ${mark('paused')}`}
${one.held > 0 && html`<span class="quiet">${count(one.held)} held</span>`}</th>
${figures(one, { pool: name, task })}
<td class="actions">${pauseButton('task', { pool: name, task }, paused, task)}</td>
</tr>`
}

function figures(one: Omit<TaskOverview, 'task'>, of: { pool: string; task?: string }): Html {
  const number = (label: string, value: Content, state?: string) => {
    const link = state && html`<a href="/ops/jobs${queryString({ ...of, state })}">${value}</a>`
    return html`<td class="number" data-label="${label}">${link ?? value}</td>`
  }
  const zero = (value: number) => (value === 0 ? html`<span class="quiet">0</span>` : count(value))
  const failed = one.failed === 0 ? zero(0) : html`<span class="bad">${count(one.failed)}</span>`
  return html`${number('Pending', zero(one.waiting), one.waiting > 0 ? 'waiting' : undefined)}
${number('Age of oldest', one.waiting === 0 || one.oldest_s === null ? html`<span class="quiet">–</span>` : duration(one.oldest_s))}
${number('Running', zero(one.running), one.running > 0 ? 'running' : undefined)}
${number('Scheduled', zero(one.scheduled), one.scheduled > 0 ? 'scheduled' : undefined)}
${number('Failed', failed, one.failed > 0 ? 'failed' : undefined)}
${number('Done/min', rate(one.done_per_minute))}
${number('Errors/min', one.failed_per_minute === 0 ? zero(0) : html`<span class="bad">${rate(one.failed_per_minute)}</span>`)}`
}

function pauseButton(what: 'pool' | 'task', of: Record<string, string>, paused: boolean, name: string): Html {
  return paused ? confirmLink(`resume-${what}`, of, 'Resume', name) : confirmLink(`pause-${what}`, of, 'Pause', name)
}
