import { loopDelayMeter } from '#lib/telemetry/loop-delay.ts'
import type { DatabasePool } from '#sql/db.ts'
import { workers as listWorkers, type Worker } from '#sql/jobs/fleet.ts'
import { queues } from '#tasks/pools.ts'
import { confirmLink } from '../../http/console/buttons.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count, counted } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { mark } from '../../http/html/marks.ts'

export async function workers(db: DatabasePool): Promise<Html> {
  const all = await listWorkers(db, queues)
  const hosts = Map.groupBy(all.filter(runs), ({ host }) => host)
  const ended = all.filter((worker) => !runs(worker))
  const lost = [
    ...Map.groupBy(
      ended.filter(({ state }) => state === 'lost'),
      ({ pool }) => pool,
    ),
  ]
  return html`${hosts.size === 0 && html`<p class="notice">${mark('lost')} No workers are running. Jobs start when you start a worker.</p>`}
${ingressLine()}
${[...hosts].map(([host, own]) => hostSection(host, own))}
${
  ended.length > 0 &&
  html`<details data-key="ended"><summary>${counted(ended.length, 'worker')} that stopped in the last day${lost.length > 0 && html`; lost: ${lost.map(([pool, own]) => `${pool} ${count(own.length)}`).join(', ')}`}</summary>
${endedTable(ended.slice(0, 100))}</details>`
}`
}

/** True if the process is running, even if its event loop is blocked. */
const runs = ({ state }: Worker) => state === 'alive' || state === 'fenced'

function hostSection(host: string, own: readonly Worker[]): Html {
  const draining = own.some((worker) => worker.draining)
  const held = own.reduce((sum, { running }) => sum + running, 0)
  const button = draining
    ? confirmLink('undrain-host', { host }, 'Start jobs again', host)
    : confirmLink('drain-host', { host }, 'Drain host', host)
  return html`<section class="host" data-key="host-${host}">
<div class="title"><h2>${host} ${draining && mark('draining')}</h2>
<p class="actions">${draining && (held === 0 ? 'Drained: you can stop this host. ' : `Finishing ${counted(held, 'job')}. `)}${button}</p></div>
${aliveTable(host, own)}
</section>`
}

const key = ({ id }: Worker): string => `worker-${id}`

const aliveTable = (host: string, own: readonly Worker[]): Html =>
  dataTable({ caption: `Workers on ${host}`, key }, own, {
    Pool: ['', ({ pool }) => html`<a href="/ops/pools/${pool}">${pool}</a>`],
    Status: (worker) => mark(stateOf(worker)),
    Process: ({ pid }) => pid,
    Jobs: ['number', ({ running, concurrency }) => `${count(running)} of ${count(concurrency)}`],
    'Loop delay': [
      'number',
      ({ loop_delay_ms }) => delay(loop_delay_ms),
      'Maximum delay of the event loop between heartbeats',
    ],
    Started: ({ started_at }) => ago(started_at),
    'Last seen': ({ seen_at }) => ago(seen_at),
  })

function stateOf({ state, draining, paused }: Worker): string {
  if (state === 'fenced') return state
  return draining ? 'draining' : paused ? 'paused' : state
}

const delay = (ms: number | null): string => (ms === null ? '' : `${Math.round(ms)} ms`)

const own = loopDelayMeter()

function ingressLine(): Html {
  const { p99, max } = own.read()
  return html`<p data-key="loop-delay">Event loop delay of this ingress since the last view: p99 ${delay(p99 * 1e3)}, maximum ${delay(max * 1e3)}.</p>`
}

const endedTable = (ended: readonly Worker[]): Html =>
  dataTable({ caption: 'Stopped workers', key }, ended, {
    Process: ['', ({ host, pid }) => `${host} ${pid}`],
    Pool: ({ pool }) => pool,
    Status: ({ state }) => mark(state),
    'Last seen': ({ seen_at }) => ago(seen_at),
  })
