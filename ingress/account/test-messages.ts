import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import * as rows from '#sql/account/test-messages.ts'
import { clearTestMessages, readContent } from '#tasks/account/rules/test-messages.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'

const TestMessage = z
  .object({
    id: Id.describe('ID of the message, call or event in its area'),
    channel: rows.Channel.describe('`notify` is an event. Its email and push messages are separate entries.'),
    to: z.string().describe('Email address, phone number, or your ID for the person'),
    title: z.string().describe('Subject, title, or start of the text'),
    key_id: Id.nullable(),
    created_at: Instant,
  })
  .meta({ id: 'account.TestMessage' })

const present = ({ recipient: to, ...row }: rows.ListedTestMessage): z.input<typeof TestMessage> => ({ ...row, to })

export const list = listRoute({
  path: '/account/test-messages',
  summary: 'List test messages, newest first',
  description: `Returns emails, push messages, WhatsApp and text messages, chat messages, calls and notifications of test keys: the last ${rows.limits.messages}, stored for ${rows.keepDays} days.`,
  tool: { name: 'list_test_messages' },
  scope: 'account:logs',
  testKeys: 'sandbox',
  beyondContract: true,
  filters: rows.filters,
  query: {
    channel: rows.Channel.optional(),
    to: z.string().max(320).optional().describe('Recipient. Encode `+` as `%2B` in the URL.'),
  },
  item: TestMessage,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/account/test-messages/{messageId}',
  summary: 'Read a test message',
  description: 'Returns a message that a test key created. Millrace stores it and does not send it.',
  params: z.object({ messageId: pathId('test message') }),
  scope: 'account:logs',
  testKeys: 'sandbox',
  beyondContract: true,
  status: 200,
  problems: ['not_found'],
  reply: TestMessage.extend({
    content: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('Content by channel. `null` after the content was deleted.'),
  }).meta({ id: 'account.TestMessageDetail' }),
  async handle({ org, db, params }) {
    const found = await mustFind(rows.find(db, org.id, params.messageId), 'test message')
    return { ...present(found), content: await readContent(db, found) }
  },
})

export const clear = route({
  method: 'DELETE',
  path: '/account/test-messages',
  summary: 'Empty the test inbox',
  description: `The email area keeps its own records of test emails for ${rows.keepDays} days.`,
  scope: ['account:logs', 'account:write'],
  testKeys: 'sandbox',
  beyondContract: true,
  status: 200,
  reply: z.object({ deleted: z.int() }),
  async handle({ org, key, ip, requestId, db }) {
    const actor = { kind: 'key' as const, id: key.id, name: key.name }
    const doer = { orgId: org.id, actor, requestId, network: getLoggedNetwork(ip) }
    return { deleted: await db.transaction((tx) => clearTestMessages(tx, doer)) }
  },
})
