import { z } from 'zod'
import { badRequest, notFound } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as messageRows from '#sql/bots/channel-messages.ts'
import * as rows from '#sql/bots/channels.ts'
import * as versions from '#sql/bots/versions.ts'
import type { Db } from '#sql/db.ts'
import * as routes from '#sql/email/inbound-routes.ts'
import { findMissingValues } from '#tasks/bots/rules/fill.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import {
  Channel,
  ChannelChanges,
  checkChannel,
  findSenderFaults,
  NewChannel,
  presentChannel,
  requireChannelScopes,
} from './channel-fields.ts'
import { botParams } from './fields.ts'

export const mostChannels = 20

const taken = problem(409, 'channel_exists', 'The number or the route already has a channel.')
const tooMany = problem(409, 'channel_limit', `A bot can have up to ${mostChannels} channels.`)

const ofChannel = botParams.extend({ channelId: pathId('channel') })

const shared = { scope: 'bots:write', params: ofChannel, status: 200, reply: Channel, problems: ['not_found'] } as const

interface Named {
  org: { id: string }
  params: { botId: string; channelId: string }
}

/** Returns a channel. Throws 404 if it belongs to another organisation or bot. */
async function findChannel(db: Db, { org, params: { botId, channelId } }: Named): Promise<rows.AddressedChannel> {
  await mustFind(bots.find(db, org.id, botId), 'bot')
  return await mustFind(rows.find(db, botId, channelId), 'channel')
}

export const create = route({
  method: 'POST',
  path: '/{botId}/channels',
  summary: 'Connect a bot to a number or route',
  description:
    'The bot answers messages that people send to your WhatsApp number or inbound email route from now on. Replies are sent by the same channel. A number or route can have one channel. The API key also needs `whatsapp:send`, or `email:manage` and `email:send`.',
  scope: 'bots:write',
  idempotent: true,
  params: botParams,
  body: NewChannel,
  status: 200,
  reply: Channel,
  problems: ['not_found', 'forbidden', taken, tooMany],
  example: { body: { kind: 'email', route_id: '0198f1c2-7f00-7000-8000-000000000001' } },
  async handle({ params: { botId }, body, org, key, db }) {
    requireChannelScopes(key, body.kind)
    const bot = await mustFind(bots.lock(db, org.id, botId), 'bot')
    await checkChannel(db, org.id, body)
    requireNoOpenVariables(await versions.find(db, bot.id, bot.version))
    if ((await rows.countOfBot(db, bot.id)) >= mostChannels) throw tooMany(tooMany.when, { max: mostChannels })
    const { number_id = null, route_id = null, ...settings } = body
    const channel = { ...settings, id: newId(), org_id: org.id, bot_id: bot.id, number_id, route_id }
    const id = await rows.insert(db, channel)
    if (id === null) throw taken('The number or the route already has a channel. Delete that channel first.')
    return presentChannel(await mustFind(rows.find(db, bot.id, id), 'channel'))
  },
})

/** Contacts cannot give values for placeholders, so the bot must have all of them. */
function requireNoOpenVariables(version: versions.Version): void {
  const missing = findMissingValues(version, {})
  if (missing.length === 0) return
  const names = missing.map(({ field }) => field.split('.').at(-1)).join(', ')
  throw badRequest([{ field: 'path.botId', issue: `must be a bot with a value for each variable. Missing: ${names}` }])
}

export const list = listRoute({
  path: '/{botId}/channels',
  summary: 'List the channels of a bot, newest first',
  description: 'Returns the WhatsApp numbers and inbound email routes at which the bot answers.',
  scope: 'bots:read',
  params: botParams,
  problems: ['not_found'],
  item: Channel,
  async rows({ params: { botId }, org, db }, page) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.list(db, botId, page)
  },
  present: presentChannel,
})

export const read = route({
  ...shared,
  method: 'GET',
  path: '/{botId}/channels/{channelId}',
  summary: 'Read a channel of a bot',
  description: 'Returns the settings of the channel and whether it is active.',
  scope: 'bots:read',
  handle: async ({ db, ...call }) => presentChannel(await findChannel(db, call)),
})

export const update = route({
  ...shared,
  method: 'PATCH',
  path: '/{botId}/channels/{channelId}',
  summary: 'Update a channel of a bot',
  description: 'Applies from the next message. The number and the route cannot be changed.',
  idempotent: true,
  body: ChannelChanges,
  problems: ['not_found', 'forbidden'],
  example: { body: { silence_hours: 24 } },
  async handle({ body, db, key, ...call }) {
    const { org, params } = call
    await mustFind(bots.lock(db, org.id, params.botId), 'bot')
    const channel = await findChannel(db, call)
    requireChannelScopes(key, channel.kind)
    await checkChanges(db, channel, body)
    if (!(await rows.update(db, params.botId, channel.id, body))) throw notFound('channel')
    return presentChannel(await findChannel(db, call))
  },
})

async function checkChanges(
  tx: Db,
  { kind, org_id, route_id }: rows.AddressedChannel,
  { from_email, from_name }: z.output<typeof ChannelChanges>,
): Promise<void> {
  if (kind === 'whatsapp') {
    const given = Object.entries({ from_email, from_name }).filter(([, value]) => value !== undefined && value !== null)
    if (given.length === 0) return
    const issue = 'cannot be set for a channel of the kind `whatsapp`'
    throw badRequest(given.map(([name]) => ({ field: `body.${name}`, issue })))
  }
  if (from_email === undefined) return
  const inbound = route_id === null ? null : await routes.find(tx, org_id, route_id)
  const faults = await findSenderFaults(tx, org_id, inbound, from_email)
  if (faults.length > 0) throw badRequest(faults)
}

const pausing = <Path extends 'pause' | 'resume'>(path: Path, summary: string, description: string) =>
  route({
    ...shared,
    method: 'POST',
    path: `/{botId}/channels/{channelId}/${path}`,
    repeatable: true,
    summary,
    description,
    body: z.strictObject({}),
    problems: ['not_found', 'forbidden'],
    async handle({ db, key, ...call }) {
      const named = call as unknown as Named
      const channel = await findChannel(db, named)
      if (path === 'resume') requireChannelScopes(key, channel.kind)
      if (!(await rows.setPaused(db, channel.bot_id, channel.id, path === 'pause'))) throw notFound('channel')
      return presentChannel(await findChannel(db, named))
    },
  })

export const pause = pausing(
  'pause',
  'Pause a channel of a bot',
  'The bot does not receive messages that arrive while the channel is paused, and pending answers are not sent. People can still reply in conversations. Pausing a paused channel has no effect.',
)

export const resume = pausing(
  'resume',
  'Resume a channel of a bot',
  'The bot receives messages that arrive from now on. Resuming an active channel has no effect.',
)

export const remove = removeRoute({
  path: '/{botId}/channels/{channelId}',
  summary: 'Delete a channel of a bot',
  description:
    'The number or the route is not deleted. Conversations are kept, but replies to them are no longer sent to the contacts.',
  scope: 'bots:write',
  params: ofChannel,
  what: 'channel',
  remove: async ({ params: { botId, channelId }, org, db }) => {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.remove(db, botId, channelId)
  },
})

const ChannelMessage = z
  .object({
    id: Id,
    direction: messageRows.table.Row.shape.direction,
    contact: z.string().describe('Phone number in E.164 format, or email address'),
    contact_verified: z
      .boolean()
      .describe('False if the sender of the email is not authenticated by DMARC, SPF or DKIM'),
    status: messageRows.Status.describe(
      '`waiting`: not handled yet. `handled`: in a conversation. `automatic`, `limited` and `ignored`: in no conversation, for `reason`. `accepted`: submitted to WhatsApp or to email. `refused`: not sent, for `reason`.',
    ),
    reason: z.string().nullable(),
    message_id: Id.nullable().describe('Message of the conversation'),
    transport_id: Id.nullable().describe('ID of the WhatsApp message, the received email or the sent email'),
    created_at: Instant,
  })
  .meta({ id: 'bots.ChannelMessage' })

export const listMessages = listRoute({
  path: '/{botId}/channels/{channelId}/messages',
  summary: 'List messages of a channel, newest first',
  description: 'Returns received messages and replies, including those that are in no conversation, with the reason.',
  scope: 'bots:read',
  params: ofChannel,
  problems: ['not_found'],
  filters: messageRows.filters,
  query: {
    direction: messageRows.table.Row.shape.direction.optional(),
    status: messageRows.Status.optional(),
  },
  item: ChannelMessage,
  async rows({ db, ...call }, page) {
    const { id } = await findChannel(db, call)
    return await messageRows.list(db, id, page)
  },
  present: (row) => row,
})
