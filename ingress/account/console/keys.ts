import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as customers from '#sql/account/keys/customer-keys.ts'
import { page } from '../../http/console/page.ts'
import { html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { keyTable } from './key-table.ts'
import { optionalText, select } from './parts.ts'
import { sections } from './sections.ts'

const { unused, expiring } = customers.keyDays

/** Maximum length of the start of a key. It is shorter than a secret, so that a URL cannot contain a whole secret. */
const longestStart = 32

const states = [
  ['good', 'active'],
  ['unused', `not used for ${unused} days`],
  ['expiring', `expires within ${expiring} days`],
  ['ended', 'revoked or expired'],
] as const

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
    const { shown, older } = cutPage(await customers.listKeys(db, { ...chosen, before, limit: perPage + 1 }), perPage)
    const main = html`<h1>API keys</h1>
<p class="lead">Newest first. Millrace stores only the first characters of a secret.</p>
<form class="filter" action="/ops/keys" role="search">
<div><label for="start">First characters</label>
<input id="start" name="start" value="${chosen.start}" maxlength="${longestStart}" placeholder="bt_live_aB3x" spellcheck="false" autocomplete="off"></div>
<div><label for="org">Organisation (name or ID)</label><input id="org" name="org" value="${chosen.org}" maxlength="200" spellcheck="false"></div>
${select('state', 'Status', chosen.state, states)}
<div class="send"><button>Search</button> <a href="/ops/keys">Clear filters</a></div></form>
${shown.length === 0 ? html`<p class="empty">No API keys match these filters.</p>` : keyTable(shown, { caption: 'Matching API keys', of: true })}
${older('/ops/keys', chosen)}`
    return { title: 'API keys', main }
  },
})
