import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as keys from '#sql/work/key-uses.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { emptyState } from '../../http/html/parts.ts'
import { limitsSection as section } from './section.ts'

const sample = {
  url: 'https://shop.example/jobs/charge',
  concurrency: { key: 'customer-17', limit: 1 },
  rate: { key: 'payments', limit: 10, per: 'minute' },
}

/** Number of keys of each kind that the page shows. The API lists all keys. */
const most = 100

export const showLimits = page({
  path: '/jobs/limits',
  summary: 'Show concurrency and rate keys',
  section,
  permission: 'log:read',
  async view({ region, services }) {
    const main = html`<h1>Concurrency and rates</h1>
<p class="lead">Jobs set these keys and limits. The latest job of a key determines its limit. Keys without jobs are deleted after 2 days.</p>
${await region('job-limits')}
${apiCall(services, 'jobs.jobs.create', { body: sample })}`
    return { title: 'Concurrency and rates', main }
  },
})

export const limitsRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  read: (db, orgId) => renderLimits(db, orgId),
}

async function renderLimits(db: DatabasePool, orgId: string): Promise<Html> {
  const ofKind = (kind: keys.KeyUse['kind']) =>
    keys.list(db, orgId, { where: whereOf(keys.filters, { kind }), before: undefined, limit: most })
  const [places, rates] = await Promise.all([ofKind('concurrency'), ofKind('rate')])
  return html`<section><h2>Concurrency keys</h2>${places.length === 0 ? emptyState('Concurrency keys appear here.', 'Set a concurrency key in a job. It limits how many jobs of the key run at the same time.') : placeTable(places)}</section>
<section><h2>Rate keys</h2>${rates.length === 0 ? emptyState('Rate keys appear here.', 'Set a rate key in a job. It limits how many jobs of the key start per second, minute or hour.') : rateTable(rates)}</section>`
}

const placeTable = (shown: readonly keys.KeyUse[]): Html =>
  dataTable({ caption: 'Concurrency keys', key: ({ key }) => key }, shown, {
    Key: ({ key }) => key,
    Running: ['number', (one) => `${count(one.running)} of ${count(one.most)}`],
    Waiting: ['number', ({ waiting }) => (waiting < keys.mostCounted ? count(waiting) : `${count(waiting)} or more`)],
    Used: ({ used_at }) => ago(used_at),
  })

const rateTable = (shown: readonly keys.KeyUse[]): Html =>
  dataTable({ caption: 'Rate keys', key: ({ key }) => key }, shown, {
    Key: ({ key }) => key,
    'Jobs per period': ['number', (one) => count(one.most)],
    'Next start': ({ paced_until }) => (paced_until > new Date() ? ago(paced_until) : quiet('now')),
    Used: ({ used_at }) => ago(used_at),
  })
