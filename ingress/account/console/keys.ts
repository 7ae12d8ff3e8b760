import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as customers from '#sql/account/keys/customer-keys.ts'
import { page } from '../../http/console/page.ts'
import { type Filter, filterForm } from '../../http/html/filter-form.ts'
import { html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { keyTable } from './key-table.ts'
import { optionalText } from './parts.ts'
import { sections } from './sections.ts'

const { unused, expiring } = customers.keyDays

/** Maximum length of the start of a key. It is shorter than a secret, so that a URL cannot contain a whole secret. */
const longestStart = 32

const filters: readonly Filter[] = [
  { name: 'start', label: 'First characters', placeholder: 'bt_live_aB3x', most: longestStart, narrow: true },
  { name: 'org', label: 'Organisation (name or ID)', most: 200, narrow: true },
  {
    name: 'state',
    label: 'Status',
    any: null,
    options: [
      ['good', 'active'],
      ['unused', `not used for ${unused} days`],
      ['expiring', `expires within ${expiring} days`],
      ['ended', 'revoked or expired'],
    ],
  },
]

export const list = page({
  path: '/keys',
  summary: 'List API keys of all organisations',
  section: sections.keys,
  query: z.object({
    state: customers.KeyState.catch('good'),
    start: optionalText(longestStart),
    org: optionalText(200),
    before: Id.optional(),
  }),
  async view({ db, query: { before, ...chosen } }) {
    const { shown, older } = cutPage(await customers.listKeys(db, { ...chosen, before, limit: perPage + 1 }))
    const main = html`<h1>API keys</h1>
<p class="lead">Newest first. Millrace stores only the first characters of a secret.</p>
${filterForm(filters, chosen, { button: 'Search', clear: '/ops/keys' })}
${shown.length === 0 ? html`<p class="empty">No API keys match these filters.</p>` : keyTable(shown, { caption: 'Matching API keys', of: true })}
${older('/ops/keys', chosen)}`
    return { title: 'API keys', main }
  },
})
