import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { InstantInput, queryInt } from '#lib/input-types.ts'
import { findThread } from '#sql/account/usage/request-thread.ts'
import * as requests from '#sql/account/usage/requests.ts'
import { mostMinutes, openWindow, recordBodiesViewed } from '#tasks/account/rules/request-window.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { actForKey } from './acting.ts'
import { present, RequestEntry } from './requests/entry.ts'
import { ThreadView } from './thread-view.ts'

export { stream } from './requests/stream.ts'

const row = requests.table.Row.shape

const Detail = RequestEntry.extend({
  request_head: row.request_head.describe(
    'Start of the request body, with secrets masked. Stored only while body logging is on for the key.',
  ),
  response_head: row.response_head,
  thread: ThreadView.describe('Jobs, attempts and provider responses caused by the request'),
}).meta({ id: 'account.RequestDetail' })

export const list = listRoute({
  path: '/account/requests',
  summary: 'List API requests, newest first',
  description:
    'Returns errors and a sample of successful requests. `429` errors are not included. Do not use this list to count requests.',
  tool: { name: 'list_api_requests' },
  scope: 'account:logs',
  testKeys: 'sandbox',
  beyondContract: true,
  filters: requests.filters,
  query: {
    key: Id.optional(),
    operation: z.string().max(100).optional(),
    status: queryInt(100, 599).optional(),
    class: queryInt(1, 5).optional().describe('First digit of the HTTP status'),
    code: z.string().max(100).optional(),
    client_id: z.string().max(128).optional(),
    since: InstantInput.optional(),
    until: InstantInput.optional(),
  },
  item: RequestEntry,
  rows: ({ org, key, db }, page) => requests.list(db, org.id, { ...page, testOnly: key.mode === 'test' }),
  present,
})

export const get = route({
  method: 'GET',
  path: '/account/requests/{requestId}',
  summary: 'Read an API request',
  description: 'Returns a logged API request together with the jobs, messages and webhook deliveries that it caused.',
  tool: { name: 'get_api_request' },
  params: z.object({ requestId: pathId('request') }),
  scope: 'account:logs',
  testKeys: 'sandbox',
  beyondContract: true,
  status: 200,
  problems: ['not_found'],
  reply: Detail,
  async handle(call) {
    const { org, key, db, params } = call
    const testOnly = key.mode === 'test'
    const found = await mustFind(requests.find(db, org.id, params.requestId, { testOnly }), 'request')
    const { request_head, response_head } = found
    if (request_head ?? response_head) await db.transaction((tx) => recordBodiesViewed(tx, actForKey(call), found.id))
    return { ...present(found), request_head, response_head, thread: await findThread(db, found) }
  },
})

const Window = z.object({ key_id: Id, ends_at: Instant }).meta({ id: 'account.RequestWindow' })

export const open = route({
  method: 'POST',
  path: '/account/requests/windows',
  summary: 'Log request bodies of an API key',
  description:
    'Stores up to 2 KiB of each request body, with secrets masked. The audit log shows who turned on logging and who viewed the bodies.',
  scope: ['account:logs', 'account:write'],
  testKeys: 'sandbox',
  beyondContract: true,
  status: 201,
  problems: ['not_found'],
  body: z.strictObject({ key_id: Id, minutes: z.int().min(1).max(mostMinutes).default(15) }),
  reply: Window,
  async handle(call) {
    const { body, key, db } = call
    const wanted = { ...body, testOnly: key.mode === 'test' }
    return await db.transaction((tx) => openWindow(tx, actForKey(call), wanted))
  },
})
