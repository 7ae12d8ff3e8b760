import { z } from 'zod'
import type * as endpoints from '#sql/webhooks/endpoints.ts'
import { allTypes, eventKinds, typePatterns } from '#tasks/webhooks/rules/event-types.ts'
import { type FormState, repeatedField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { picker } from '../../http/html/picker.ts'
import { fields } from '../webhook-fields.ts'
import { groupByArea, groupTitle } from './fields.ts'
import { parseInput, trimmedOrUndefined } from './input.ts'

export const webhookFields = {
  name: z.string().max(1_000).default(''),
  url: z.string().max(10_000),
  mode: z.enum(['', 'live', 'test']),
  types: repeatedField(z.string().max(100)),
}

export function toWebhook({ name, mode, ...given }: z.output<z.ZodObject<typeof webhookFields>>) {
  const input = { ...given, name: trimmedOrUndefined(name) ?? null, mode: mode === '' ? null : mode }
  const { types: events, ...wanted } = parseInput(z.strictObject(fields), input)
  return { ...wanted, events }
}

const modes = [
  ['', 'live and test'],
  ['live', 'live only'],
  ['test', 'test only'],
] as const

export const webhookInputs = (
  filled: FormState,
  now?: endpoints.Endpoint,
): Html => html`${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, otherwise: now?.url ?? '', hint: 'Millrace sends events to this URL and signs them with a secret.' })}
<div class="pair">${textField(filled, { name: 'name', label: 'Name', otherwise: now?.name ?? '', hint: 'Optional. For example, Production events.' })}
${selectField(filled, { name: 'mode', label: 'Mode', options: modes, otherwise: now?.mode ?? '' })}</div>
${picker(filled, { name: 'types', label: 'Events', noun: 'events', hint: 'A group also includes future event types.', groups: typeGroups, otherwise: now?.events ?? ['*'] })}`

const patterns = [...typePatterns].filter((pattern) => pattern !== '*')

export const typeGroups = [
  { title: 'All events', options: [['*', '*', 'all events, including future event types']] as const },
  ...groupByArea(allTypes, '.').map(([area, types]) => ({
    title: groupTitle(area),
    options: [
      ...patterns
        .filter((pattern) => pattern.startsWith(`${area}.`))
        .sort()
        .map((pattern) => [pattern, pattern, 'all events in the group'] as const),
      ...types.map((type) => [type, type, eventKinds[type].summary] as const),
    ],
  })),
]
