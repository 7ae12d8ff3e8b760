import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/notify/chat-messages.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'

const Status = z.enum(['queued', 'sent', 'unknown', 'failed'])

const ChatMessage = z
  .object({
    id: Id,
    connection_id: Id,
    event_id: Id.nullable(),
    user_id: z.string().nullable().describe('Your own ID for the person'),
    product_key: z.string(),
    type: z.string(),
    title: z.string(),
    body: z.string().nullable(),
    url: z.string().nullable(),
    data: z.record(z.string(), z.string()),
    status: Status.describe('`sent`: the server accepted the message. `unknown`: the server did not respond.'),
    error: rows.ChatError.nullable(),
    created_at: Instant,
    sent_at: Instant.nullable(),
  })
  .meta({ id: 'notify.ChatMessage' })

function present({ org_id: _, key_id: __, tries: ___, ...row }: rows.ChatMessage): z.input<typeof ChatMessage> {
  return { ...row, status: row.status === 'sending' ? 'queued' : row.status }
}

export const list = listRoute({
  path: '/chat-messages',
  summary: 'List chat messages, newest first',
  description: 'Returns the messages to chat services and URLs, with the result of each.',
  scope: 'notify:read',
  filters: rows.filters,
  query: { status: Status.optional(), connection_id: Id.optional(), event_id: Id.optional() },
  item: ChatMessage,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/chat-messages/{id}',
  summary: 'Read a chat message',
  description: 'Returns a message to a chat service or URL with its result.',
  scope: 'notify:read',
  params: z.object({ id: pathId('chat message') }),
  status: 200,
  reply: ChatMessage,
  problems: ['not_found'],
  handle: async ({ params, org, db }) => present(await mustFind(rows.find(db, org.id, params.id), 'chat message')),
})
