import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { createSeal } from '#lib/seal.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import { openSecrets } from '#tasks/whatsapp/rules/own-number.ts'
import type { Services } from '../http/container.ts'
import { requireOpenOrganisation } from '../http/demand-open.ts'
import { readBody } from '../http/request/body.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { answerChallenge, bodyLimit, Challenge, receiveWebhook, requireSignature } from './meta-webhook.ts'
import { settings } from './settings.ts'

const forMeta = { public: true, ignoresOtherQuery: true, hidden: true, status: 200, raw: 'text/plain' } as const

const params = z.object({ id: pathId('number') })

export const verify = route({
  ...forMeta,
  method: 'GET',
  path: '/webhook',
  summary: 'Respond to Meta’s challenge',
  limit: { perMinute: 60, by: 'ip' },
  query: Challenge,
  problems: ['forbidden'],
  async handle({ query, services, ctx }) {
    answerChallenge(ctx, query, services(settings).verifyToken)
  },
})

export const receive = route({
  ...forMeta,
  method: 'POST',
  path: '/webhook',
  summary: 'Receive Meta’s webhooks',
  limit: false,
  problems: ['bad_request', 'unauthorized', 'payload_too_large', 'rate_limited'],
  async handle({ services, header, db, ctx, log }) {
    const { appSecret, phoneNumberId, accountId } = services(settings)
    const bytes = await readBody(ctx.req, ctx.res, bodyLimit)
    requireSignature(bytes, header('x-hub-signature-256'), appSecret)
    await receiveWebhook(ctx, bytes, { db, phoneNumberId, accountId, number: null, log })
  },
})

export const verifyOwn = route({
  ...forMeta,
  method: 'GET',
  path: '/webhook/{id}',
  summary: 'Respond to Meta’s challenge for a number',
  limit: { perMinute: 60, by: 'ip' },
  params,
  query: Challenge,
  problems: ['forbidden', 'not_found'],
  async handle({ params, query, services, db, ctx }) {
    const { secrets } = await own(db, services, params.id)
    answerChallenge(ctx, query, secrets.verify_token)
  },
})

export const receiveOwn = route({
  ...forMeta,
  method: 'POST',
  path: '/webhook/{id}',
  summary: 'Receive Meta’s webhooks for a number',
  limit: false,
  params,
  problems: ['bad_request', 'unauthorized', 'payload_too_large', 'not_found', 'rate_limited'],
  async handle({ params, services, header, db, ctx, log }) {
    const { number, secrets } = await own(db, services, params.id)
    const bytes = await readBody(ctx.req, ctx.res, bodyLimit)
    requireSignature(bytes, header('x-hub-signature-256'), secrets.app_secret)
    const { phone_number_id: phoneNumberId, account_id: accountId } = number
    await receiveWebhook(ctx, bytes, { db, phoneNumberId, accountId, number, log })
  },
})

/** Returns a number with its secrets. Throws 404 for an unknown or removed number. Called before the body is read. */
async function own(db: DatabasePool, services: Services, id: string) {
  const number = await numbers.findAny(db, id)
  if (!number || number.state === 'removed') throw notFound('number')
  await requireOpenOrganisation(db, number.org_id, 'number')
  return { number, secrets: openSecrets(createSeal(services(signingSecret), numbers.sealPurpose), number) }
}
