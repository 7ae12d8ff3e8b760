import type { DatabasePool } from '#sql/db.ts'
import { type Pause, pauses } from '#sql/jobs/controls.ts'
import { type PoolOverview, readOverview, type TaskOverview } from '#sql/jobs/overview.ts'
import { queues } from '#tasks/pools.ts'
import { confirmLink } from '../../http/console/buttons.ts'
import { type Columns, dataTable } from '../../http/html/data-table.ts'
import { ago, count, duration, rate } from '../../http/html/format.ts'
import { type Content, type Html, html, queryString, quiet } from '../../http/html/html.ts'
import { mark } from '../../http/html/marks.ts'
import { actorName } from './recent.ts'

export async function fleet(db: DatabasePool): Promise<Html> {
  const pools = await readOverview(db, queues)
  return html`${tiles(pools, {})}
${poolTable(pools)}`
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
${tasks.length === 0 ? html`<p class="empty">No tasks in this pool have had jobs recently.</p>` : taskTable(tasks)}`
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

type Figures = Omit<TaskOverview, 'task'>

const poolTable = (pools: readonly PoolOverview[]): Html =>
  dataTable<PoolOverview>({ caption: 'Pools', key: ({ pool }) => `pool-${pool}`, captioned: true }, pools, {
    Pool: [
      '',
      ({ pool, paused }) => html`<a href="/ops/pools/${pool}">${pool}</a>${paused && html` ${mark('paused')}`}`,
    ],
    ...figureColumns,
    Actions: ['actions', ({ pool, paused }) => pauseButton('pool', { pool }, paused, pool)],
  })

const taskTable = (tasks: readonly TaskOverview[]): Html =>
  dataTable<TaskOverview>({ caption: 'Tasks', key: ({ task }) => `task-${task}`, captioned: true }, tasks, {
    Task: ['', taskName],
    ...figureColumns,
    Actions: ['actions', ({ pool, task, paused }) => pauseButton('task', { pool, task }, paused, task)],
  })

const taskName = ({ pool, task, paused, held }: TaskOverview): Html =>
  html`<a href="/ops/jobs${queryString({ pool, task })}">${task}</a>${paused && html` ${mark('paused')}`}
${held > 0 && html`<span class="quiet">${count(held)} held</span>`}`

const zero = quiet('0')

const jobsLink =
  (state: string, shown: (value: number) => Content, of: (one: Figures) => number) =>
  (one: Figures & { task?: string }): Content => {
    const { pool, task } = one
    return of(one) === 0 ? zero : html`<a href="/ops/jobs${queryString({ pool, task, state })}">${shown(of(one))}</a>`
  }

const bad = (words: Content): Html => html`<span class="bad">${words}</span>`

const figureColumns: Columns<Figures & { task?: string }> = {
  Pending: ['number', jobsLink('waiting', count, (one) => one.waiting)],
  'Age of oldest': [
    'number',
    ({ waiting, oldest_s }) => (waiting === 0 || oldest_s === null ? quiet('–') : duration(oldest_s)),
  ],
  Running: ['number', jobsLink('running', count, (one) => one.running)],
  Scheduled: ['number', jobsLink('scheduled', count, (one) => one.scheduled)],
  Failed: [
    'number',
    jobsLink(
      'failed',
      (value) => bad(count(value)),
      (one) => one.failed,
    ),
  ],
  'Done/min': ['number', ({ done_per_minute }) => rate(done_per_minute)],
  'Errors/min': ['number', ({ failed_per_minute }) => (failed_per_minute === 0 ? zero : bad(rate(failed_per_minute)))],
}

function pauseButton(what: 'pool' | 'task', of: Record<string, string>, paused: boolean, name: string): Html {
  return paused ? confirmLink(`resume-${what}`, of, 'Resume', name) : confirmLink(`pause-${what}`, of, 'Pause', name)
}
