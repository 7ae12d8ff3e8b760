import { z } from 'zod'
import { formatAmount } from '#lib/amount.ts'
import type { KeyAi } from '#sql/account/keys.ts'
import type { Role } from '#sql/account/people/members.ts'
import { publicScopes } from '#tasks/account/rules/key-input.ts'
import { getRoleScopes } from '#tasks/account/rules/roles.ts'
import { type Scope, scopes as words } from '#tasks/account/rules/scopes.ts'
import { checkBoxes, type FormState, linesField, repeatedField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { noPreset, picker } from '../../http/html/picker.ts'
import { groupByArea, groupTitle } from './fields.ts'
import { readInstant, readNumber, splitWords, trimmedOrUndefined } from './input.ts'

const text = z.string().max(10_000).default('')

export const settingFields = {
  ...{ name: text, note: text, expires_at: text, rate_per_minute: text, networks: text },
  ...{ ai_models: text, ai_currency: text, ai_monthly: text, ai_daily: text },
}

export const keyFields = {
  ...settingFields,
  mode: z.enum(['test', 'live']),
  preset: z.enum(['send', 'full', 'read', noPreset]).default(noPreset),
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
  ai: toAiLimits(given),
})

/** Returns the AI limits of a form, or null if it has none. */
function toAiLimits({ ai_models, ai_currency, ai_monthly, ai_daily }: Settings) {
  const models = splitWords(ai_models)
  const [monthly, daily] = [trimmedOrUndefined(ai_monthly), trimmedOrUndefined(ai_daily)]
  const isLimited = monthly !== undefined || daily !== undefined
  const budget = isLimited ? { currency: ai_currency.trim().toUpperCase(), monthly, daily } : undefined
  return models || budget ? { models, budget } : null
}

export const toNewKey = ({ scopes, mode, preset, ...given }: NewKey, role: Role) => ({
  ...toKeyChange(given),
  mode,
  scopes: presetsOf(role).find(({ name }) => name === preset)?.values ?? scopes,
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

type SettingsNow = Partial<Record<keyof Settings, string>>

const nameInputs = (filled: FormState, now: SettingsNow): Html =>
  html`<div class="pair">${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now.name ?? '', hint: 'For example, Shop backend.' })}
${textField(filled, { name: 'note', label: 'Note', otherwise: now.note ?? '', hint: 'Optional. Only members see it.' })}</div>`

const limitInputs = (filled: FormState, now: SettingsNow): Html =>
  html`<div class="pair">${textField(filled, { name: 'expires_at', label: 'Expires (UTC)', type: 'datetime-local', otherwise: now.expires_at ?? '', hint: 'Optional. Leave blank for no expiry.' })}
${textField(filled, { name: 'rate_per_minute', label: 'Requests per minute', type: 'number', otherwise: now.rate_per_minute ?? '', hint: 'Optional. Leave blank to use the plan limit.' })}</div>
${linesField(filled, { name: 'networks', label: 'Networks', few: true, otherwise: now.networks ?? '', hint: 'Optional. IP addresses and ranges from which the key can be used. For example, 203.0.113.0/24.' })}`

const aiInputs = (filled: FormState, now: SettingsNow): Html =>
  html`<div class="pair">${textField(filled, { name: 'ai_monthly', label: 'AI budget per month', otherwise: now.ai_monthly ?? '', hint: 'Optional. For example, 25.50. Models without a price are then rejected.' })}
${textField(filled, { name: 'ai_daily', label: 'AI budget per day', otherwise: now.ai_daily ?? '', hint: 'Optional. Days and months are in UTC.' })}</div>
${textField(filled, { name: 'ai_currency', label: 'Currency of the AI budget', otherwise: now.ai_currency ?? 'USD', hint: 'For example, USD. Models must have a price in this currency.' })}
${linesField(filled, { name: 'ai_models', label: 'AI models', few: true, otherwise: now.ai_models ?? '', hint: 'Optional. Models that the key can use. For example, default. Leave blank for all models.' })}`

/** Returns the current AI limits of a key as text for the form. */
export function aiTexts(ai: KeyAi | null): SettingsNow {
  const amount = (billionths: number | undefined) => (billionths === undefined ? '' : formatAmount(billionths))
  const { models = [], budget } = ai ?? {}
  return {
    ai_models: models.join('\n'),
    ai_currency: budget?.currency ?? 'USD',
    ai_monthly: amount(budget?.monthly),
    ai_daily: amount(budget?.daily),
  }
}

export const settingsInputs = (filled: FormState, now: SettingsNow = {}): Html =>
  html`${nameInputs(filled, now)}
${limitInputs(filled, now)}
${aiInputs(filled, now)}`

const modes = [
  ['test', 'test: messages are recorded and not delivered'],
  ['live', 'live: messages are delivered'],
] as const

export const newKeyInputs = (filled: FormState, role: Role): Html => html`${nameInputs(filled, {})}
${selectField(filled, { name: 'mode', label: 'Mode', options: modes, otherwise: 'test' })}
${picker(filled, { name: 'scopes', label: 'Scopes', noun: 'scopes', hint: 'Select only the scopes that the key needs.', groups: scopeGroups(role), presets: presetsOf(role) })}
<details class="more-fields"${has(filled, Object.keys(settingFields).slice(2)) && html` open`}><summary>Expiry and limits</summary>
${limitInputs(filled, {})}
${aiInputs(filled, {})}</details>
<details class="more-fields"${has(filled, lockNames) && html` open`}><summary>Locks</summary>
<div class="pair">${textField(filled, { name: 'from_domains', label: 'Sender domains', hint: 'Optional. Domains from which the key can send email.' })}
${textField(filled, { name: 'app_id', label: 'App', hint: 'Optional. ID of the app to which the key can send push messages.' })}
${textField(filled, { name: 'site_id', label: 'Site', hint: 'Optional. ID of the site whose visitors the key can verify.' })}
${textField(filled, { name: 'tenant_id', label: 'Tenant', hint: 'Optional. Tenant whose files the key can read and change.' })}</div>
${linesField(filled, { name: 'origins', label: 'Origins', few: true, hint: 'Optional. Origins of the web pages that can use the key. For example, https://shop.example.' })}
${checkBoxes(filled, { name: 'calls', label: 'Calls', options: [['false', 'Read-only access to calls', 'The key cannot place or end calls.']] })}
</details>`

const has = ({ given, faults }: FormState, names: readonly string[]): boolean =>
  names.some((name) => given[name] || faults[name])

const lockNames = ['from_domains', 'app_id', 'site_id', 'origins', 'tenant_id', 'calls'] as const

export const scopeGroups = (role: Role) =>
  groupByArea(getRoleScopes(role), ':').map(([area, names]) => ({
    title: groupTitle(area),
    options: names.map((scope) => [scope, scope, words[scope]] as const),
  }))

const sendScopes: readonly Scope[] = ['email:send', 'notify:write', 'push:send', 'sms:send', 'whatsapp:send']

/** Sets of scopes of a new key. A server key needs no scopes of public keys. */
function presetsOf(role: Role) {
  const all = getRoleScopes(role).filter((scope) => !publicScopes.includes(scope))
  const read = all.filter((scope) => scope.endsWith(':read') || scope === 'account:logs' || scope === 'account:audit')
  return [
    {
      name: 'send',
      label: 'Send only',
      hint: 'Email, push, SMS, WhatsApp and notifications.',
      values: sendScopes.filter((scope) => all.includes(scope)),
    },
    { name: 'read', label: 'Read only', hint: 'Everything that can be read.', values: read },
    { name: 'full', label: 'Full access', hint: 'All scopes of your role.', values: all },
  ]
}
