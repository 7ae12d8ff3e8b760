import * as keys from '#sql/account/keys.ts'
import * as rows from '#sql/ai/costs.ts'
import type { DatabasePool } from '#sql/db.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { count } from '../../http/html/format.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { parentLink } from '../../http/html/parts.ts'
import { isUnpriced, presentCost } from '../cost-fields.ts'
import { section } from './models.ts'

const most = 100

export const overview = page({
  path: '/models/costs',
  summary: 'Show the AI cost of this month by model, key and day',
  section,
  permission: 'usage:read',
  async view({ db, member: { orgId } }) {
    const by = (group: rows.Group) => rows.sum(db, orgId, { by: group, limit: most })
    const [models, ofKeys, days] = await Promise.all([by('model'), by('key'), by('day')])
    const names = new Map((await listKeys(db, orgId, ofKeys)).map(({ id, name }) => [id, name]))
    const keyOf = ({ name }: rows.CostSum): Content =>
      name === null ? 'Without a key' : html`<a href="/app/keys/${name}">${names.get(name) ?? name}</a>`
    const main = html`${parentLink('Models', section.path)}<h1>AI cost this month</h1>
<p class="lead">The operator sets the prices. The cost of a model without a price is unknown.</p>
${
  models.length === 0
    ? html`<p class="empty">No requests this month.</p>`
    : html`${part('Cost by model', 'models', 'Model', models, ({ name }) => name ?? '')}
${part('Cost by API key', 'keys', 'API key', ofKeys, keyOf)}
${part('Cost by day', 'days', 'Day', days, ({ name }) => name ?? '')}`
}`
    return { title: 'AI cost', main }
  },
})

async function listKeys(db: DatabasePool, orgId: string, sums: readonly rows.CostSum[]) {
  const ids = new Set(sums.map(({ name }) => name))
  return (await keys.list(db, orgId)).filter(({ id }) => ids.has(id))
}

const part = (
  caption: string,
  id: string,
  first: string,
  sums: readonly rows.CostSum[],
  named: (sum: rows.CostSum) => Content,
): Html =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${caption}</h2>
${dataTable(caption, sums, {
  [first]: ['break', named],
  Cost: ['number', costOf],
  Requests: ['number', (sum) => count(sum.requests)],
  'From the cache': ['number', (sum) => count(sum.cached)],
  'Input tokens': ['number', (sum) => count(sum.prompt_tokens)],
  'Output tokens': ['number', (sum) => count(sum.completion_tokens)],
})}</section>`

const costOf = (sum: rows.CostSum): string =>
  isUnpriced(sum) ? 'unknown' : `${presentCost(sum).cost} ${sum.currency ?? ''}`.trim()
