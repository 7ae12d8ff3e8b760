import { z } from 'zod'
import { Address, getDomain } from '#lib/email-address.ts'
import { badRequest, type Fault, forbidden } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Caller } from '#sql/account/keys.ts'
import { type AddressedChannel, Kind } from '#sql/bots/channels.ts'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import * as routes from '#sql/email/inbound-routes.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import { findMissing } from '#tasks/account/rules/scopes.ts'
import { Instant } from '../http/instant.ts'
import { text } from './fields.ts'

const about = {
  from_email: 'Sender of replies, on a verified domain. Only for email. Default: the address that received the email.',
  from_name: 'Name of the sender of replies. Only for email. Default: the name of the bot.',
  silence_hours: 'A message after this time without messages starts a new conversation, in hours, 1 to 720',
  hourly_limit:
    'Messages of one contact per hour that the bot answers, 1 to 200. Further messages are handed over to a person.',
  unreadable_reply: 'Reply to a message without text, such as an image or a voice message',
  handover_reply: 'Reply to a contact who requests a person. `null` for no reply.',
}

const settings = {
  from_email: Address.nullable().describe(about.from_email),
  from_name: text(100)
    .refine((name) => !/[\r\n\t]/.test(name), 'must be one line')
    .nullable()
    .describe(about.from_name),
  silence_hours: z.int().min(1).max(720).describe(about.silence_hours),
  hourly_limit: z.int().min(1).max(200).describe(about.hourly_limit),
  unreadable_reply: text(1_000).describe(about.unreadable_reply),
  handover_reply: text(1_000).nullable().describe(about.handover_reply),
}

const unreadable = 'I can read only text. Please write your question.'

const handover = 'A person from our team will reply here.'

export const NewChannel = z.strictObject({
  kind: Kind.describe('`whatsapp` for a WhatsApp number, `email` for an inbound email route'),
  number_id: Id.optional().describe('Your connected WhatsApp number. Required for `whatsapp`.'),
  route_id: Id.optional().describe('Your inbound email route. Required for `email`.'),
  from_email: settings.from_email.default(null),
  from_name: settings.from_name.default(null),
  silence_hours: settings.silence_hours.default(72),
  hourly_limit: settings.hourly_limit.default(30),
  unreadable_reply: settings.unreadable_reply.default(unreadable),
  handover_reply: settings.handover_reply.default(handover),
})

export const ChannelChanges = z
  .strictObject(settings)
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'must contain at least one change')

export const Channel = z
  .object({
    id: Id,
    bot_id: Id,
    kind: Kind,
    status: z
      .enum(['active', 'paused', 'disconnected'])
      .describe('`disconnected`: the WhatsApp number was removed, or the inbound route was deleted'),
    address: z
      .string()
      .nullable()
      .describe('Phone number or email address to which contacts write. `null` if the channel is disconnected.'),
    number_id: Id.nullable(),
    route_id: Id.nullable(),
    from_email: z.string().nullable().describe(about.from_email),
    from_name: z.string().nullable().describe(about.from_name),
    silence_hours: z.int().describe(about.silence_hours),
    hourly_limit: z.int().describe(about.hourly_limit),
    unreadable_reply: z.string().describe(about.unreadable_reply),
    handover_reply: z.string().nullable().describe(about.handover_reply),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'bots.Channel' })

export const presentChannel = (channel: AddressedChannel): z.input<typeof Channel> => ({
  ...channel,
  status: channel.connected ? (channel.paused_at ? 'paused' : 'active') : 'disconnected',
})

const scopesOf = { whatsapp: ['whatsapp:send'], email: ['email:manage', 'email:send'] } as const

/** Throws 403 if the key may not read and send the messages of the channel itself. */
export function requireChannelScopes({ scopes }: Caller['key'], kind: AddressedChannel['kind']): void {
  const missing = findMissing(scopes, scopesOf[kind])
  if (missing.length === 0) return
  const names = missing.map((scope) => `\`${scope}\``).join(' and ')
  throw forbidden(`For a channel of the kind \`${kind}\`, the API key also needs ${names}.`)
}

type Given = Pick<z.output<typeof NewChannel>, 'kind' | 'number_id' | 'route_id' | 'from_email' | 'from_name'>

/** Throws 400 with each field that does not fit the kind, or names an object of another organisation. */
export async function checkChannel(tx: Db, orgId: string, given: Given): Promise<void> {
  const faults = given.kind === 'whatsapp' ? await checkNumber(tx, orgId, given) : await checkRoute(tx, orgId, given)
  if (faults.length > 0) throw badRequest(faults)
}

async function checkNumber(tx: Db, orgId: string, { number_id, ...given }: Given): Promise<Fault[]> {
  const faults: Fault[] = (['route_id', 'from_email', 'from_name'] as const).flatMap((name) =>
    given[name] === undefined || given[name] === null
      ? []
      : [{ field: `body.${name}`, issue: 'cannot be set for a channel of the kind `whatsapp`' }],
  )
  const field = 'body.number_id'
  if (number_id === undefined) faults.push({ field, issue: 'is required for the kind `whatsapp`' })
  else if (!(await numbers.find(tx, orgId, number_id)))
    faults.push({ field, issue: 'must be one of your connected numbers' })
  return faults
}

async function checkRoute(
  tx: Db,
  orgId: string,
  { number_id, route_id, from_email }: Pick<Given, 'number_id' | 'route_id' | 'from_email'>,
): Promise<Fault[]> {
  const faults: Fault[] = []
  if (number_id !== undefined)
    faults.push({ field: 'body.number_id', issue: 'cannot be set for a channel of the kind `email`' })
  const route = route_id === undefined ? null : await routes.find(tx, orgId, route_id)
  if (route_id === undefined) faults.push({ field: 'body.route_id', issue: 'is required for the kind `email`' })
  else if (!route) faults.push({ field: 'body.route_id', issue: 'must be one of your inbound routes' })
  return [...faults, ...(await findSenderFaults(tx, orgId, route, from_email))]
}

/** Checks the domain of the sender of replies, which must be verified. Without a sender, it is the host of the route. */
export async function findSenderFaults(
  tx: Db,
  orgId: string,
  route: Pick<routes.InboundRoute, 'host' | 'domain_id'> | null,
  fromEmail: string | null,
): Promise<Fault[]> {
  const field = 'body.from_email'
  const isVerified = async (name: string) => (await domains.find(tx, orgId, name))?.status === 'verified'
  if (fromEmail !== null) {
    if (await isVerified(getDomain(fromEmail))) return []
    return [{ field, issue: 'must be on one of your verified domains' }]
  }
  if (route === null || (route.domain_id !== null && (await isVerified(route.host)))) return []
  const host = route.domain_id === null ? 'the host of this installation' : route.host
  return [{ field, issue: `is required, because replies cannot be sent from an address at ${host}` }]
}
