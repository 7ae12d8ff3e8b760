import { z } from 'zod'
import * as bots from '#sql/bots/bots.ts'
import * as rows from '#sql/bots/channels.ts'
import { action, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { mostChannels, pause, remove, resume } from '../channels.ts'
import { botView } from './bot-frame.ts'
import { ofBot, pathOf, section } from './section.ts'

export const ofChannel = ofBot.extend({ channel_id: pathId('channel') })

export const channelsPath = (botId: string): string => `${pathOf(botId)}/channels`

export const kindNames = { whatsapp: 'WhatsApp', email: 'Email' } as const

export const listChannels = page({
  path: '/bots/{bot_id}/channels',
  summary: 'List the channels of a bot',
  section,
  permission: 'log:read',
  params: ofBot,
  async view({ db, member, may, services, params: { bot_id } }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const shown = await rows.list(db, bot.id, { before: undefined, limit: mostChannels })
    const mayWrite = may('areas:write')
    const add = mayWrite && html`<a class="button primary" href="${channelsPath(bot.id)}/new">Add channel</a>`
    const content = html`<section><div class="title"><h2>Channels</h2>${shown.length > 0 && add}</div>
<p class="lead">The bot answers people who write to a WhatsApp number or an email address of your organisation.</p>
${shown.length === 0 ? emptyState('No channels yet. WhatsApp numbers and inbound email routes of the bot appear here.', undefined, add) : table(shown, member, mayWrite)}</section>
${mayWrite && apiCall(services, 'bots.channels.create', { path: { botId: bot.id } })}`
    return botView(bot, 'Channels', may, content)
  },
})

const statusOf = ({ connected, paused_at }: rows.AddressedChannel): Html =>
  connected ? statusBadge(paused_at ? 'paused' : 'active') : statusBadge('disconnected', { as: 'failed' })

const table = (shown: readonly rows.AddressedChannel[], member: Member, mayWrite: boolean): Html =>
  dataTable('Channels', shown, {
    Address: [
      'break',
      ({ bot_id, id, address }) =>
        mayWrite
          ? html`<a href="${channelsPath(bot_id)}/${id}">${address ?? 'deleted'}</a>`
          : (address ?? quiet('deleted')),
    ],
    Kind: ({ kind }) => kindNames[kind],
    Status: statusOf,
    Change: mayWrite && ['actions', (one) => buttonsOf(one, member)],
  })

function buttonsOf({ id, bot_id, address, paused_at }: rows.AddressedChannel, member: Member): Html {
  const [at, of] = [`${channelsPath(bot_id)}/${id}`, address ?? id]
  const toggle = paused_at
    ? actionButton(member, `${at}/resume`, 'Resume', { of })
    : actionButton(member, `${at}/pause`, 'Pause', { of })
  return html`${toggle} ${actionButton(member, `${at}/remove`, 'Delete', { of, grave: true })}`
}

const changing = (verb: 'pause' | 'resume' | 'remove', summary: string, told: string) =>
  action({
    path: `/bots/{bot_id}/channels/{channel_id}/${verb}`,
    summary,
    permission: 'areas:write',
    params: ofChannel,
    back: ({ bot_id }) => channelsPath(bot_id),
    async perform({ ask, params: { bot_id: botId, channel_id: channelId } }) {
      const route = { pause, resume, remove }[verb]
      await ask(route, { params: { botId, channelId }, ...(verb !== 'remove' && { body: {} }) }, z.unknown())
      return { to: channelsPath(botId), told }
    },
  })

export const pauseChannel = changing('pause', 'Pause a channel of a bot', 'Channel paused.')

export const resumeChannel = changing('resume', 'Resume a channel of a bot', 'Channel resumed.')

export const removeChannel = changing('remove', 'Delete a channel of a bot', 'Channel deleted.')
