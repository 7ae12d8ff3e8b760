import type { ListedKey } from '#sql/account/keys/customer-keys.ts'
import { confirmLink } from '../../http/console/buttons.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { orgLink } from './parts.ts'

export function keyTable(keys: readonly ListedKey[], { caption, of }: { caption: string; of: boolean }): Html {
  return dataTable(caption, keys, [
    { title: 'Name', cell: (key) => key.name },
    of && { title: 'Organisation', style: 'break', cell: (key) => orgLink(key.org_id, key.org_name) },
    {
      title: 'First characters',
      cell: (key) =>
        key.starts.length > 0
          ? key.starts.map((start) => html`<code>${start}…</code> `)
          : html`<code>${key.prefix}</code>`,
    },
    { title: 'Scopes', style: 'wide', cell: (key) => mayOf(key) },
    { title: 'Mode', cell: (key) => key.mode },
    { title: 'Last used', cell: (key) => ago(key.last_used_at) },
    { title: 'Expires', cell: (key) => endOf(key) },
    {
      title: 'Actions',
      style: 'actions',
      cell: (key) => !key.revoked_at && confirmLink('revoke-key', { org: key.org_id, key: key.id }, 'Revoke', key.name),
    },
  ])
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
