import { loopDelayMeter } from '#lib/telemetry/loop-delay.ts'
import type { DatabasePool } from '#sql/db.ts'
import { workers as listWorkers, type Worker } from '#sql/jobs/fleet.ts'
import { queues } from '#tasks/pools.ts'
import { confirmLink } from '../../http/console/buttons.ts'
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
<table class="data stacks"><caption class="unseen">Stopped workers</caption>
<thead><tr><th scope="col">Process</th><th scope="col">Pool</th><th scope="col">Status</th><th scope="col">Last seen</th></tr></thead>
<tbody>${ended.slice(0, 100).map(endedRow)}</tbody></table></details>`
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
<table class="data stacks"><caption class="unseen">Workers on ${host}</caption>
<thead><tr><th scope="col">Pool</th><th scope="col">Status</th><th scope="col">Process</th><th scope="col" class="number">Jobs</th>
<th scope="col" class="number" title="Maximum delay of the event loop between heartbeats">Loop delay</th>
<th scope="col">Started</th><th scope="col">Last seen</th></tr></thead>
<tbody>${own.map(aliveRow)}</tbody></table>
</section>`
}

function aliveRow(worker: Worker): Html {
  const state =
    worker.state === 'fenced' ? 'fenced' : worker.draining ? 'draining' : worker.paused ? 'paused' : worker.state
  return html`<tr data-key="worker-${worker.id}">
<th scope="row"><a href="/ops/pools/${worker.pool}">${worker.pool}</a></th>
<td data-label="Status">${mark(state)}</td>
<td data-label="Process">${worker.pid}</td>
<td class="number" data-label="Jobs">${count(worker.running)} of ${count(worker.concurrency)}</td>
<td class="number" data-label="Loop delay">${delay(worker.loop_delay_ms)}</td>
<td data-label="Started">${ago(worker.started_at)}</td>
<td data-label="Last seen">${ago(worker.seen_at)}</td>
</tr>`
}

const delay = (ms: number | null): string => (ms === null ? '' : `${Math.round(ms)} ms`)

const own = loopDelayMeter()

function ingressLine(): Html {
  const { p99, max } = own.read()
  return html`<p data-key="loop-delay">Event loop delay of this ingress since the last view: p99 ${delay(p99 * 1e3)}, maximum ${delay(max * 1e3)}.</p>`
}

function endedRow(worker: Worker): Html {
  return html`<tr data-key="worker-${worker.id}"><th scope="row">${worker.host} ${worker.pid}</th>
<td data-label="Pool">${worker.pool}</td><td data-label="Status">${mark(worker.state)}</td>
<td data-label="Last seen">${ago(worker.seen_at)}</td></tr>`
}
