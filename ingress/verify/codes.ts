import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Db } from '#sql/db.ts'
import * as settingsRows from '#sql/verify/settings.ts'
import * as rows from '#sql/verify/verifications.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { expire } from '#tasks/verify/expire.ts'
import { hashCode } from '#tasks/verify/rules/codes.ts'
import { emitVerification } from '#tasks/verify/rules/emit-verification.ts'
import { countCode } from '#tasks/verify/rules/limits.ts'
import { prefixOf } from '#tasks/verify/rules/recipients.ts'
import { isPrefixBlocked } from '#tasks/verify/rules/watch-prefix.ts'
import { send } from '#tasks/verify/send.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { checkChannel } from './check-channel.ts'
import { Brand, Code, CodeLength, Locale, Metadata, Ttl, UserId } from './fields.ts'
import { spendGuardToken } from './guard-token.ts'
import { ownerOf } from './owner.ts'
import { type Recipient, readRecipient, toSearched } from './recipient.ts'
import * as refusals from './refusals.ts'
import { presentStarted, Started } from './shape.ts'

const params = z.object({ id: pathId('verification') })

const sending = {
  scope: 'verify:write',
  testKeys: 'sandbox',
  locks: ['from_domains', 'site_id'],
  reply: Started,
  enqueues: send,
} as const

const sendProblems = [
  refusals.countryNotAllowed,
  refusals.channelNotConfigured,
  refusals.callsLocked,
  refusals.domainNotAllowed,
  refusals.limitReached,
]

const StartForm = z.strictObject({
  channel: rows.Channel.optional().describe('Channel of the code. Required without `channels`.'),
  channels: z
    .array(rows.Channel)
    .min(1)
    .max(4)
    .optional()
    .describe('Channels in order. The next one is used if a delivery fails. `email` cannot be combined with others.'),
  to: secret(z.string().min(1).max(320)).describe('Phone number in E.164 format, or email address'),
  locale: Locale.optional().describe('Language of the texts: `en`, `de`, `es`, `et`, `fr` or `ru`. Default: `en`.'),
  brand: Brand.optional().describe('Name of your product in the texts. Default: `brand` of the settings.'),
  code_length: CodeLength.optional().describe('Number of digits. Default: `code_length` of the settings.'),
  ttl: Ttl.optional().describe('Time in seconds for which the code is valid. Default: `ttl` of the settings.'),
  guard_token: secret(z.string().min(1).max(2_048))
    .optional()
    .describe('Token of a Guard form. It is used when the verification starts.'),
  user_id: UserId.optional().describe('Your ID of the person'),
  ip: z
    .union([z.ipv4(), z.ipv6()], { error: 'must be an IPv4 or IPv6 address' })
    .optional()
    .describe('IP address of the person. Codes per network are then limited.'),
  metadata: Metadata.optional().describe('Up to 20 values, which webhooks also contain'),
  idempotency_key: z.string().min(1).max(255).optional().describe('A repeated request returns the first response.'),
})

const example = { channel: 'email' as const, to: 'ann@example.com', brand: 'Shop' }

export const start = route({
  ...sending,
  method: 'POST',
  path: '/start',
  summary: 'Send a verification code',
  description:
    'Sends a random code. The response is the same for every recipient: it does not show whether the recipient exists or is blocked. Check the code with `POST /v1/verify/check`.',
  idempotent: { field: 'idempotency_key' },
  body: StartForm,
  status: 200,
  problems: [...sendProblems, refusals.guardRefused],
  example: { body: example },
  async handle({ body, org, key, db }) {
    const settings = await settingsRows.find(db, org.id)
    const { channels, recipient } = readTarget(body)
    for (const channel of channels) await checkChannel(db, { org, key }, { channel, recipient, settings })
    const guarded = await spendGuardToken(db, { org, key }, body.guard_token, settings)
    const owner = ownerOf({ org, key })
    const isBlocked = !owner.sandbox && (await admit(db, org.id, recipient, body.ip ?? null, settings))
    const started = await rows.insert(db, {
      ...{ id: newId(), org_id: org.id, key_id: key.id, sandbox: owner.sandbox },
      ...{ channel: channels[0] as rows.Channel, channels, recipient: recipient.address },
      ...{ user_id: body.user_id ?? null, brand: body.brand ?? settings.brand, locale: body.locale ?? null },
      ...{ metadata: body.metadata ?? {}, code_length: body.code_length ?? settings.code_length },
      ...{ ttl: body.ttl ?? settings.ttl, max_attempts: settings.max_attempts },
      ...{ max_sends: settings.max_sends, resend_after_seconds: settings.resend_after, guarded },
      ...{ country: recipient.country, prefix: recipient.country === null ? null : prefixOf(recipient.address) },
      ...{ ip: body.ip ?? null, ...(isBlocked && { delivery: 'blocked', reason: 'prefix_blocked' }) },
    })
    await enqueue(db, send, { id: started.id, send: 1 }, { orgId: org.id })
    await enqueue(db, expire, { id: started.id }, { orgId: org.id, at: started.expires_at })
    if (isBlocked) await emitVerification(db, 'verify.undeliverable', started)
    return presentStarted(started)
  },
})

/** Returns the channels and the recipient. Throws 400 with every fault. */
function readTarget({ channel, channels, to }: z.output<typeof StartForm>) {
  const faults: Fault[] = []
  const wanted = [...new Set(channels ?? (channel === undefined ? [] : [channel]))]
  if (wanted.length === 0) faults.push({ field: 'body.channel', issue: 'is required, or `channels`' })
  if (channel !== undefined && channels !== undefined && channels[0] !== channel)
    faults.push({ field: 'body.channel', issue: 'must be the first of `channels`' })
  if (wanted.includes('email') && wanted.length > 1)
    faults.push({ field: 'body.channels', issue: 'cannot combine `email` with channels of a phone number' })
  const recipient = wanted[0] && readRecipient('body.to', to, wanted[0], faults)
  if (faults.length > 0 || !recipient) throw badRequest(faults)
  return { channels: wanted, recipient }
}

/** Counts a code against the limits. Throws 429 if one is exceeded. Returns true if the number’s range gets no codes. */
async function admit(
  tx: Db,
  orgId: string,
  { address, country }: Recipient,
  ip: string | null,
  settings: settingsRows.Settings,
): Promise<boolean> {
  const exceeded = await countCode(tx, { orgId, recipient: address, country, ip }, settings)
  if (exceeded.length > 0) throw refusals.createLimitProblem(exceeded)
  return country !== null && (await isPrefixBlocked(tx, orgId, address, settings))
}

const CheckForm = z
  .strictObject({
    id: Id.optional().describe('Verification ID. Required without `to`.'),
    to: secret(z.string().min(1).max(320))
      .optional()
      .describe('Recipient. The latest verification of the recipient is checked.'),
    code: secret(Code).describe('Code that the person entered'),
  })
  .refine(({ id, to }) => (id === undefined) !== (to === undefined), {
    path: ['id'],
    error: 'is required, or `to`, but not both',
  })

export const check = route({
  method: 'POST',
  path: '/check',
  summary: 'Check a verification code',
  description:
    'Returns `approved` exactly once, for the right code. `pending`: the code is wrong, and `attempts_left` further codes can be checked. `used`: the verification was already approved, so treat the request as an attack.',
  scope: 'verify:write',
  testKeys: 'sandbox',
  locks: ['from_domains', 'site_id'],
  idempotent: true,
  body: CheckForm,
  status: 200,
  reply: z
    .object({
      id: Id,
      status: z.enum(['approved', 'pending', 'used', 'failed', 'expired', 'canceled']),
      attempts_left: z.int(),
    })
    .meta({ id: 'verify.Check' }),
  problems: ['not_found'],
  example: {
    body: { id: '0198f1c2-7f00-7000-8000-000000000048', code: '493021' },
    reply: { id: '0198f1c2-7f00-7000-8000-000000000048', status: 'approved', attempts_left: 4 },
  },
  async handle({ body: { id, to, code }, org, key, db, services }) {
    const owner = ownerOf({ org, key })
    const wanted = id === undefined ? rows.findLatest(db, owner, toSearched(to ?? '')) : rows.find(db, owner, id)
    const found = await mustFind(wanted, 'verification')
    const hash = hashCode(found.id, code, services(signingSecret))
    const checked = await rows.attempt(db, owner, found.id, hash)
    if (!checked) return await presentEnded(db, owner, found.id)
    if (checked.status === 'approved') await emitVerification(db, 'verify.approved', checked)
    if (checked.status === 'failed') await emitVerification(db, 'verify.failed', checked)
    const { status, max_attempts, attempts } = checked
    return { id: checked.id, status, attempts_left: status === 'failed' ? 0 : max_attempts - attempts }
  },
})

/** Returns the result for a verification that has ended. A code that was right once is not right again. */
async function presentEnded(db: Db, owner: rows.Owner, id: string) {
  const { status, shown } = await mustFind(rows.find(db, owner, id), 'verification')
  if (status === 'approved') return { id, status: 'used' as const, attempts_left: 0 }
  const ended = shown === 'pending' || shown === 'undeliverable' || shown === 'approved' ? 'failed' : shown
  return { id, status: ended, attempts_left: 0 }
}

export const resend = route({
  ...sending,
  method: 'POST',
  path: '/{id}/resend',
  summary: 'Send another code',
  description:
    'Sends a new code, on the same or another channel. The earlier code is no longer valid. Wrong attempts still count.',
  idempotent: true,
  params,
  body: z.strictObject({ channel: rows.Channel.optional().describe('Default: the channel of the last code') }),
  status: 200,
  problems: [...sendProblems, 'not_found', refusals.notOpen, refusals.noSendsLeft, refusals.tooEarly],
  example: { body: { channel: 'voice' } },
  async handle({ params: { id }, body, org, key, db }) {
    const owner = ownerOf({ org, key })
    const found = await mustFind(rows.find(db, owner, id), 'verification')
    const channel = body.channel ?? found.channel
    if ((channel === 'email') !== (found.country === null))
      throw badRequest([{ field: 'body.channel', issue: 'cannot reach this kind of recipient' }])
    const settings = await settingsRows.find(db, org.id)
    const { recipient: address, country, ip, ttl } = found
    await checkChannel(db, { org, key }, { channel, recipient: { address, country }, settings })
    const again = await rows.prepareResend(db, owner, id, { channel, ttl })
    if (!again) throw explainRefusal(await mustFind(rows.find(db, owner, id), 'verification'))
    const exceeded = owner.sandbox
      ? []
      : await countCode(db, { orgId: org.id, recipient: address, country, ip }, settings)
    if (exceeded.length > 0) throw refusals.createLimitProblem(exceeded)
    await enqueue(db, send, { id, send: again.sends }, { orgId: org.id })
    return presentStarted(again)
  },
})

function explainRefusal({ shown, sends, max_sends, resend_at }: rows.Verification): Problem {
  if (shown !== 'pending' && shown !== 'undeliverable') return refusals.notOpen(`The verification is ${shown}.`)
  if (sends >= max_sends) return refusals.noSendsLeft(refusals.noSendsLeft.when)
  const seconds = Math.max(1, Math.ceil((resend_at.getTime() - Date.now()) / 1000))
  return new Problem(429, refusals.tooEarly.code, `Wait ${seconds} seconds before you request the next code.`, {
    details: { resend_after: resend_at.toISOString() },
    retryAfter: seconds,
  })
}
