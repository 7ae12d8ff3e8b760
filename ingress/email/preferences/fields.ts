import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { TopicState } from '#sql/email/contacts.ts'
import { Channel } from '#sql/notify/preferences.ts'
import { checkText } from '../../http/request/json.ts'
import { line, TopicKey } from '../fields.ts'

const Notification = z.strictObject({
  product_key: line(200),
  type: line(200),
  channels: z.array(Channel).max(20),
})

/** Changes that JavaScript sends. */
export const PreferencesBody = z
  .strictObject({
    topics: z.record(TopicKey, TopicState).optional().describe('State by key of the topic'),
    notifications: z.array(Notification).max(100).optional().describe('Channels by product and event type'),
    unsubscribe_all: z.literal(true).optional().describe('Unsubscribes from all marketing email. This is permanent.'),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    error: 'must contain at least one field to change',
  })

/** Fields of the page: the offered topics and types, and those that are selected. */
export const PreferencesForm = z.object({
  what: z.enum(['save', 'all']),
  offered: z.array(z.string().max(64)).max(200),
  topic: z.array(z.string().max(64)).max(200),
  types: z.array(z.string().max(1_000)).max(200),
  channel: z.array(z.string().max(1_100)).max(800),
})

const lists = ['offered', 'topic', 'types', 'channel'] as const

/** Reads the form of the page. Fields can be repeated. Other fields are ignored. */
export function readPreferencesForm(text: string): unknown {
  const fields = new URLSearchParams(text)
  const read = {
    what: fields.get('what') ?? 'save',
    ...Object.fromEntries(lists.map((name) => [name, fields.getAll(name)])),
  }
  const faults: Fault[] = []
  checkText(read, 'body', faults)
  if (faults.length > 0) throw badRequest(faults)
  return read
}

/** Name of a type in the form. A pair of strings in JSON cannot be confused with another pair. */
export const nameOfType = ({ product_key, type }: { product_key: string; type: string }): string =>
  JSON.stringify([product_key, type])

const separator = '#'

export const nameOfChannel = (type: string, channel: string): string => `${channel}${separator}${type}`
