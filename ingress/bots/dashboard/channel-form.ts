import { z } from 'zod'
import * as bots from '#sql/bots/bots.ts'
import * as rows from '#sql/bots/channels.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as routes from '#sql/email/inbound-routes.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { type FormState, linesField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { NewChannel } from '../channel-fields.ts'
import { create, update } from '../channels.ts'
import { channelsPath, kindNames, ofChannel } from './channels.ts'
import { ofBot, section } from './section.ts'

/** Maximum number of addresses to choose from. */
const mostAddresses = 100

const settings = {
  from_email: z.string().default(''),
  from_name: z.string().default(''),
  silence_hours: z.string().default(''),
  hourly_limit: z.string().default(''),
  unreadable_reply: z.string().default(''),
  handover_reply: z.string().default(''),
}

type Given = z.output<z.ZodObject<typeof settings>>

const defaultOf = (name: 'silence_hours' | 'hourly_limit' | 'unreadable_reply' | 'handover_reply'): string =>
  String(NewChannel.shape[name].parse(undefined))

const inputs = (filled: FormState, now?: rows.Channel): Html => html`
${now?.kind !== 'whatsapp' && emailInputs(filled, now)}
${textField(filled, { name: 'silence_hours', label: 'New conversation after', otherwise: String(now?.silence_hours ?? defaultOf('silence_hours')), required: true, hint: 'Hours without messages, 1 to 720.' })}
${textField(filled, { name: 'hourly_limit', label: 'Messages per contact and hour', otherwise: String(now?.hourly_limit ?? defaultOf('hourly_limit')), required: true, hint: '1 to 200. A person handles further messages.' })}
${linesField(filled, { name: 'unreadable_reply', label: 'Reply to files', few: true, prose: true, required: true, otherwise: now?.unreadable_reply ?? defaultOf('unreadable_reply'), hint: 'Sent for messages without text, such as images and voice messages.' })}
${linesField(filled, { name: 'handover_reply', label: 'Reply to a request for a person', few: true, prose: true, otherwise: now ? (now.handover_reply ?? '') : defaultOf('handover_reply'), hint: 'Optional. Leave blank to send no reply.' })}`

const emailInputs = (filled: FormState, now?: rows.Channel): Html => html`
${textField(filled, { name: 'from_email', label: 'Sender of email', type: 'email', otherwise: now?.from_email ?? '', hint: 'Optional. An address on a verified domain. Leave blank to reply from the address that received the email.' })}
${textField(filled, { name: 'from_name', label: 'Name of the sender', otherwise: now?.from_name ?? '', hint: 'Optional. Leave blank to use the name of the bot.' })}`

const numberOf = (text: string): number | string => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : text)

const toSettings = ({ silence_hours, hourly_limit, unreadable_reply, ...given }: Given) => ({
  ...Object.fromEntries(Object.entries(given).map(([name, text]) => [name, text.trim() === '' ? null : text])),
  silence_hours: numberOf(silence_hours),
  hourly_limit: numberOf(hourly_limit),
  unreadable_reply,
})

/** Returns the addresses of an organisation to choose from, by `<kind> <ID>`. */
async function listAddresses(db: DatabasePool, orgId: string): Promise<[value: string, label: string][]> {
  const part = { before: undefined, limit: mostAddresses }
  const [ownNumbers, ownRoutes] = [await numbers.list(db, orgId, part), await routes.list(db, orgId, part)]
  return [
    ...ownNumbers.map(({ id, display_phone, phone_number_id }): [string, string] => [
      `whatsapp ${id}`,
      `${kindNames.whatsapp}: ${display_phone ?? phone_number_id}`,
    ]),
    ...ownRoutes.map(({ id, local_part, host }): [string, string] => [
      `email ${id}`,
      `${kindNames.email}: ${local_part ?? '*'}@${host}`,
    ]),
  ]
}

export const { show: askForChannel, submit: add } = formPage({
  path: '/bots/{bot_id}/channels/new',
  summary: 'Add a channel to a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  fields: z.object({ address: z.string().default(''), ...settings }),
  async view({ db, member, params: { bot_id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const back = channelsPath(bot.id)
    const addresses = await listAddresses(db, member.orgId)
    const none = emptyState(
      'No WhatsApp number is connected, and no inbound email route exists. Create one of them first.',
      undefined,
      html`<a class="button" href="/app/whatsapp/number">WhatsApp numbers</a> <a class="button" href="/app/inbound-routes">Inbound routes</a>`,
    )
    const form = html`<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'address', label: 'Address', options: addresses, hint: 'The bot answers new messages to this address.' })}
${inputs(filled)}
<p class="actions"><button>Add channel</button> <a class="button plain" href="${back}">Cancel</a></p></form>`
    const main = html`${parentLink(`Channels of ${bot.name}`, back)}<h1>Add a channel</h1>${renderFault(fault)}
${addresses.length === 0 ? none : form}`
    return { title: 'Add a channel', main }
  },
  async submit({ ask, params: { bot_id: botId }, given: { address, ...given } }) {
    const [kind = '', id = ''] = address.split(' ')
    const { from_email, from_name, ...others } = toSettings(given) as Record<string, unknown>
    const sender = kind === 'email' ? { from_email, from_name } : {}
    const body = { kind, ...(kind === 'email' ? { route_id: id } : { number_id: id }), ...sender, ...others }
    await ask(create, { params: { botId }, body }, z.unknown())
    return { to: channelsPath(botId), told: 'Channel added.' }
  },
})

export const { show: showChannel, submit: change } = formPage({
  path: '/bots/{bot_id}/channels/{channel_id}',
  summary: 'Edit a channel of a bot',
  section,
  permission: 'areas:write',
  params: ofChannel,
  fields: z.object(settings),
  async view({ db, member, params: { bot_id, channel_id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const now = await mustFind(rows.find(db, bot.id, channel_id), 'channel')
    const back = channelsPath(bot.id)
    const main = html`${parentLink(`Channels of ${bot.name}`, back)}<h1>${kindNames[now.kind]}: ${now.address ?? 'deleted'}</h1>${renderFault(fault)}
<p class="lead">Changes apply from the next message.</p>
<form class="form" method="post">${tokenField(member)}${inputs(filled, now)}
<p class="actions"><button>Save channel</button> <a class="button plain" href="${back}">Cancel</a></p></form>`
    return { title: 'Edit channel', main }
  },
  async submit({ db, member, ask, params: { bot_id: botId, channel_id: channelId }, given }) {
    await mustFind(bots.find(db, member.orgId, botId), 'bot')
    const { kind } = await mustFind(rows.find(db, botId, channelId), 'channel')
    const { from_email, from_name, ...others } = toSettings(given) as Record<string, unknown>
    const body = { ...others, ...(kind === 'email' && { from_email, from_name }) }
    await ask(update, { params: { botId, channelId }, body }, z.unknown())
    return { to: channelsPath(botId), told: 'Channel saved.' }
  },
})
