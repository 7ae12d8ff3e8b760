import type { ListedKey } from '#sql/account/keys/customer-keys.ts'
import { confirmLink } from '../../http/console/buttons.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { orgLink } from './parts.ts'

export function keyTable(keys: readonly ListedKey[], { caption, of }: { caption: string; of: boolean }): Html {
  return dataTable(caption, keys, {
    Name: (key) => key.name,
    Organisation: of && ['break', (key) => orgLink(key.org_id, key.org_name)],
    'First characters': (key) =>
      key.starts.length > 0
        ? key.starts.map((start) => html`<code>${start}…</code> `)
        : html`<code>${key.prefix}</code>`,
    Scopes: ['wide', (key) => mayOf(key)],
    Mode: (key) => key.mode,
    'Last used': (key) => ago(key.last_used_at),
    Expires: (key) => endOf(key),
    Actions: [
      'actions',
      (key) => !key.revoked_at && confirmLink('revoke-key', { org: key.org_id, key: key.id }, 'Revoke', key.name),
    ],
  })
}

function mayOf({ scopes, locks }: ListedKey): Html {
  const restricted = Object.keys(locks)
  const few = scopes.length <= 4
  const list = html`${scopes.map((scope) => html`<code>${scope}</code> `)}`
  return html`${few ? list : html`<details><summary>${scopes.length} scopes</summary>${list}</details>`}
${restricted.length > 0 && html`<span class="quiet">locks: ${restricted.join(', ')}</span>`}`
}

function endOf({ revoked_at, expires_at }: ListedKey): Html {
  if (revoked_at) return html`${statusBadge('revoked')} ${ago(revoked_at)}`
  return expires_at === null ? quiet('never') : ago(expires_at)
}
