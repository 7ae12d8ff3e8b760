import { z } from 'zod'
import type * as endpoints from '#sql/webhooks/endpoints.ts'
import { allTypes, eventKinds, typePatterns } from '#tasks/webhooks/rules/event-types.ts'
import { type Html, html } from '../../http/console/html.ts'
import { type Filled, many, selectField, textField } from '../../http/dashboard/form.ts'
import { fields } from '../webhook-fields.ts'
import { byArea, groupedBoxes } from './fields.ts'
import { parseInput, textOrNothing } from './input.ts'

/** A webhook as its form is sent. */
export const webhookFields = {
  name: z.string().max(1_000).default(''),
  url: z.string().max(10_000),
  mode: z.enum(['', 'live', 'test']),
  types: many(z.string().max(100)),
}

/** What a form says of a webhook, checked as the API does. */
export function webhookOf({ name, mode, ...given }: z.output<z.ZodObject<typeof webhookFields>>) {
  const input = { ...given, name: textOrNothing(name) ?? null, mode: mode === '' ? null : mode }
  const { types: events, ...wanted } = parseInput(z.strictObject(fields), input)
  return { ...wanted, events }
}

const modes = [
  ['', 'live and test'],
  ['live', 'live alone'],
  ['test', 'test alone'],
] as const

/** The fields of a webhook; without `now`, of a new one. */
export const webhookPart = (
  filled: Filled,
  now?: endpoints.Endpoint,
): Html => html`${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, otherwise: now?.url ?? '', hint: 'Events are posted to it, signed by a secret that you are shown once.' })}
${textField(filled, { name: 'name', label: 'Name', otherwise: now?.name ?? '', hint: 'For people.' })}
${selectField(filled, { name: 'mode', label: 'Events of', options: modes, otherwise: now?.mode ?? '' })}
${groupedBoxes(filled, { name: 'types', label: 'Told of', hint: 'A group has those to come, too.', groups: typeGroups, otherwise: now?.events ?? ['*'] })}`

const patterns = [...typePatterns].filter((pattern) => pattern !== '*')

const typeGroups = [
  { title: 'Everything', options: [['*', '*', 'all events, those to come included']] as const },
  ...byArea(allTypes, '.').map(([title, types]) => ({
    title,
    options: [
      ...patterns
        .filter((pattern) => pattern.startsWith(`${title}.`))
        .sort()
        .map((pattern) => [pattern, pattern, 'the group'] as const),
      ...types.map((type) => [type, type, eventKinds[type].summary] as const),
    ],
  })),
]
