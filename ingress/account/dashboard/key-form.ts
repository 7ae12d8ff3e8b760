import { z } from 'zod'
import type { Role } from '#sql/account/people/members.ts'
import { getRoleScopes } from '#tasks/account/rules/roles.ts'
import { scopes as words } from '#tasks/account/rules/scopes.ts'
import { checkBoxes, type FormState, linesField, repeatedField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { groupByArea, groupedBoxes, groupTitle } from './fields.ts'
import { readInstant, readNumber, splitWords, trimmedOrUndefined } from './input.ts'

const text = z.string().max(10_000).default('')

export const settingFields = { name: text, note: text, expires_at: text, rate_per_minute: text, networks: text }

export const keyFields = {
  ...settingFields,
  mode: z.enum(['test', 'live']),
  scopes: repeatedField(z.string().max(100)),
  from_domains: text,
  app_id: text,
  site_id: text,
  origins: text,
  tenant_id: text,
  calls: repeatedField(z.literal('false')),
}

type Settings = z.output<z.ZodObject<typeof settingFields>>
type NewKey = z.output<z.ZodObject<typeof keyFields>>

export const toKeyChange = (given: Settings) => ({
  name: given.name,
  note: trimmedOrUndefined(given.note) ?? null,
  expires_at: readInstant(given.expires_at) ?? null,
  rate_per_minute: readNumber(given.rate_per_minute) ?? null,
  networks: splitWords(given.networks) ?? null,
})

export const toNewKey = ({ scopes, mode, ...given }: NewKey) => ({
  ...toKeyChange(given),
  mode,
  scopes,
  locks: Object.fromEntries(
    Object.entries({
      from_domains: splitWords(given.from_domains),
      app_id: trimmedOrUndefined(given.app_id),
      site_id: trimmedOrUndefined(given.site_id),
      origins: splitWords(given.origins),
      tenant_id: trimmedOrUndefined(given.tenant_id),
      calls: given.calls.length > 0 ? (false as const) : undefined,
    }).filter(([, lock]) => lock !== undefined),
  ),
})

export const settingsInputs = (
  filled: FormState,
  now: Partial<Record<keyof Settings, string>> = {},
): Html => html`${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now.name ?? '', hint: 'For example, Shop backend.' })}
${textField(filled, { name: 'note', label: 'Note', otherwise: now.note ?? '' })}
${textField(filled, { name: 'expires_at', label: 'Expires (UTC)', type: 'datetime-local', otherwise: now.expires_at ?? '', hint: 'Optional. Leave blank for no expiry.' })}
${textField(filled, { name: 'rate_per_minute', label: 'Requests per minute', type: 'number', otherwise: now.rate_per_minute ?? '', hint: 'Optional. Leave blank to use the plan limit.' })}
${linesField(filled, { name: 'networks', label: 'Networks', few: true, otherwise: now.networks ?? '', hint: 'Optional. IP addresses and ranges from which the key can be used. For example, 203.0.113.0/24.' })}`

const modes = [
  ['test', 'test: messages are recorded and not delivered'],
  ['live', 'live: messages are delivered'],
] as const

export const newKeyInputs = (filled: FormState, role: Role): Html => html`${settingsInputs(filled)}
${selectField(filled, { name: 'mode', label: 'Mode', options: modes, otherwise: 'test' })}
${groupedBoxes(filled, { name: 'scopes', label: 'Scopes', hint: 'Select only the scopes that the key needs.', groups: scopeGroups(role) })}
<details${lockNames.some((name) => filled.given[name] || filled.faults[name]) && html` open`}><summary>Locks</summary>
${textField(filled, { name: 'from_domains', label: 'Sender domains', hint: 'Optional. Domains from which the key can send email.' })}
${textField(filled, { name: 'app_id', label: 'App', hint: 'Optional. ID of the app to which the key can send push messages.' })}
${textField(filled, { name: 'site_id', label: 'Site', hint: 'Optional. ID of the site whose visitors the key can verify.' })}
${linesField(filled, { name: 'origins', label: 'Origins', few: true, hint: 'Optional. Origins of the web pages that can use the key. For example, https://shop.example.' })}
${textField(filled, { name: 'tenant_id', label: 'Tenant', hint: 'Optional. Tenant whose files the key can read and change.' })}
${checkBoxes(filled, { name: 'calls', label: 'Calls', options: [['false', 'Read-only access to calls', 'The key cannot place or end calls.']] })}
</details>`

const lockNames = ['from_domains', 'app_id', 'site_id', 'origins', 'tenant_id', 'calls'] as const

const scopeGroups = (role: Role) =>
  groupByArea(getRoleScopes(role), ':').map(([area, names]) => ({
    title: groupTitle(area),
    options: names.map((scope) => [scope, scope, words[scope]] as const),
  }))
