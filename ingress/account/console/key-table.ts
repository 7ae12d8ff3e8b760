import type { ListedKey } from '#sql/account/keys/customer-keys.ts'
import { confirmLink } from '../../http/console/buttons.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { orgLink } from './parts.ts'

export function keyTable(keys: readonly ListedKey[], { caption, of }: { caption: string; of: boolean }): Html {
  return html`<table class="data stacks"><caption class="unseen">${caption}</caption>
<thead><tr><th scope="col">Name</th>${of && html`<th scope="col">Organisation</th>`}<th scope="col">First characters</th><th scope="col">Scopes</th><th scope="col">Mode</th>
<th scope="col">Last used</th><th scope="col">Expires</th><td></td></tr></thead>
<tbody>${keys.map(
    (key) => html`<tr><th scope="row" class="break">${key.name}</th>
${of && html`<td data-label="Organisation" class="break">${orgLink(key.org_id, key.org_name)}</td>`}
<td data-label="First characters">${key.starts.length > 0 ? key.starts.map((start) => html`<code>${start}…</code> `) : html`<code>${key.prefix}</code>`}</td>
<td class="wide">${mayOf(key)}</td><td data-label="Mode">${key.mode}</td>
<td data-label="Last used">${ago(key.last_used_at)}</td><td data-label="Expires">${endOf(key)}</td>
<td class="actions">${!key.revoked_at && confirmLink('revoke-key', { org: key.org_id, key: key.id }, 'Revoke', key.name)}</td></tr>`,
  )}</tbody></table>`
}

function mayOf({ scopes, locks }: ListedKey): Html {
  const restricted = Object.keys(locks)
  const few = scopes.length <= 4
  const list = html`${scopes.map((scope) => html`<code>${scope}</code> `)}`
  return html`${few ? list : html`<details><summary>${scopes.length} scopes</summary>${list}</details>`}
${restricted.length > 0 && html`<span class="quiet">locks: ${restricted.join(', ')}</span>`}`
}

function endOf({ revoked_at, expires_at }: ListedKey): Html {
  if (revoked_at) return html`<span class="bad">revoked</span> ${ago(revoked_at)}`
  return expires_at === null ? html`<span class="quiet">never</span>` : ago(expires_at)
}
