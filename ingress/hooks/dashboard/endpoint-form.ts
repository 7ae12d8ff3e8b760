import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as eventTypes from '#sql/hooks/event-types.ts'
import type { Endpoint } from '#sql/webhooks/endpoints.ts'
import {
  type FormState,
  linesField,
  optionalField,
  repeatedField,
  splitCommaWords,
  textField,
} from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { picker } from '../../http/html/picker.ts'
import { presentRate } from '../fields.ts'
import { readJson } from './event-types.ts'
import { rateFields, rateInputs, toRateField } from './rate-inputs.ts'

const text = optionalField(z.string())

export const endpointFields = {
  ...{ url: text, description: text, channels: text, filters: text, headers: text },
  types: repeatedField(z.string().max(100)),
  ...rateFields,
}

/** Maximum number of event types in the form. */
const maxTypes = 200

export async function listTypes(db: DatabasePool, orgId: string): Promise<readonly eventTypes.EventType[]> {
  const where = whereOf(eventTypes.filters, { archived: false })
  return await eventTypes.list(db, orgId, { where, before: undefined, limit: maxTypes })
}

export const endpointInputs = (filled: FormState, types: readonly eventTypes.EventType[], now?: Endpoint): Html =>
  html`${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, otherwise: now?.url ?? '', hint: 'For example, https://customer.example.com/webhooks.' })}
${textField(filled, { name: 'description', label: 'Description', otherwise: now?.description ?? '' })}
${picker(filled, { name: 'types', label: 'Event types', noun: 'event types', groups: groupsOf(types, now?.events ?? []), otherwise: now?.events ?? ['*'] })}
${linesField(filled, { name: 'filters', label: 'Filters (JSON)', few: true, otherwise: now?.filters ? JSON.stringify(now.filters) : '', hint: html`Optional. All filters must match the payload. For example, <code>${'[{"path": "amount", "op": "gt", "value": 100}]'}</code>.` })}
${textField(filled, { name: 'channels', label: 'Channels', otherwise: now?.channels?.join(', ') ?? '', hint: 'Optional. Separated by commas. The endpoint receives only messages of these channels.' })}
${linesField(filled, { name: 'headers', label: 'Headers', few: true, hint: headersHint(now) })}
${rateInputs(filled, now && presentRate(now), 'Further messages wait.')}`

function headersHint(now: Endpoint | undefined): string {
  const stored = now?.header_names ?? []
  const example = 'One header per line. For example, X-Team: billing.'
  if (stored.length === 0) return `Optional. ${example}`
  return `Stored: ${stored.join(', ')}. Leave blank to keep them. New lines replace all headers. ${example}`
}

function groupsOf(types: readonly eventTypes.EventType[], chosen: readonly string[]) {
  const names = new Set(types.map(({ name }) => name))
  const others = chosen.filter((pattern) => pattern !== '*' && !names.has(pattern))
  return [
    { title: 'All event types', options: [['*', '*', 'all event types, including future ones']] as const },
    ...(others.length > 0 ? [{ title: 'Patterns', options: others.map((one) => [one, one] as const) }] : []),
    { title: 'Event types', options: types.map(({ name, description }) => [name, name, description ?? ''] as const) },
  ]
}

/** Returns the fields of an endpoint as the API accepts them. Blank headers are left out. */
export function toEndpoint({ url = '', description, ...given }: z.output<z.ZodObject<typeof endpointFields>>) {
  const { channels = '', filters, headers, types, ...rate } = given
  const words = splitCommaWords(channels)
  return {
    url: url.trim(),
    description: description ?? null,
    types,
    filters: filters === undefined ? [] : readJson('filters', filters),
    channels: words.length > 0 ? words : null,
    ...(headers !== undefined && { headers: headersOf(headers) }),
    rate: toRateField(rate),
  }
}

function headersOf(lines: string): Record<string, string> {
  const pairs = lines.split('\n').flatMap((line) => {
    const at = line.indexOf(':')
    const name = (at < 0 ? line : line.slice(0, at)).trim()
    return name === '' ? [] : [[name, at < 0 ? '' : line.slice(at + 1).trim()] as const]
  })
  return Object.fromEntries(pairs)
}
