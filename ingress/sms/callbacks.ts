import type { Context } from 'koa'
import { z } from 'zod'
import { publicUrl } from '#lib/config.ts'
import { notFound, unauthorized } from '#lib/errors.ts'
import { createSeal } from '#lib/seal.ts'
import { isClosedOrganisationError } from '#sql/account/closures.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as providers from '#sql/sms/providers.ts'
import type { CallbackReader, ReceivedCallback } from '#tasks/sms/rules/callback.ts'
import { getCallbackReader } from '#tasks/sms/rules/callback-reader.ts'
import { openForCallbacks } from '#tasks/sms/rules/own-provider.ts'
import { recordReport, recordText } from '#tasks/sms/rules/record-callbacks.ts'
import type { Services } from '../http/container.ts'
import { requireOpenOrganisation } from '../http/demand-open.ts'
import { createAllowance } from '../http/limits/allowances.ts'
import { readBody } from '../http/request/body.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'

/** Maximum size of a callback in bytes. */
const bodyLimit = 64 * 1024

/** Limits the callbacks of one connection in one process. */
const callbacksOfProvider = createAllowance(30_000, 'callbacks of one connection')

const shared = {
  method: 'POST',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  status: 200,
  raw: 'text/xml',
  limit: false,
  params: z.object({ id: pathId('provider') }),
  problems: ['bad_request', 'unauthorized', 'payload_too_large', 'not_found', 'rate_limited'],
} as const

export const status = route({
  ...shared,
  path: '/callbacks/{id}/status',
  summary: 'Receive the status of a message',
  query: z.object({ message: z.string().max(100).optional() }),
  async handle({ params, query, ...call }) {
    const { provider, reader, callback } = await receive(params.id, query.message, call)
    const told = reader.readStatus(callback)
    if (told) await call.db.transaction((tx) => recordReport(tx, provider, told))
    else call.log.info({ provider: provider.id }, 'skipped a callback of an SMS provider that reports no known status')
    answer(call.ctx)
  },
})

export const inbound = route({
  ...shared,
  path: '/callbacks/{id}/inbound',
  summary: 'Receive a message of a person',
  async handle({ params, ...call }) {
    const { provider, reader, callback } = await receive(params.id, undefined, call)
    const heard = reader.readText(callback)
    if (heard) await call.db.transaction((tx) => recordText(tx, provider, heard)).catch(ignoreClosed)
    else call.log.info({ provider: provider.id }, 'skipped a callback of an SMS provider without a message')
    answer(call.ctx)
  },
})

function ignoreClosed(error: unknown): void {
  if (!isClosedOrganisationError(error)) throw error
}

/** Twilio reads the response as TwiML. An empty document sends no answer. */
function answer(ctx: Context): void {
  ctx.type = 'text/xml'
  ctx.body = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>'
}

interface Ground {
  db: DatabasePool
  services: Services
  ctx: Context
  origin: string
  header(name: string): string | undefined
}

interface Received {
  provider: providers.Provider
  reader: CallbackReader
  callback: ReceivedCallback
}

/**
 * Reads a callback and checks its signature. Throws 404 before it reads the body for an unknown connection, and for one
 * that was removed long ago. The statuses of the last messages, and STOP, arrive after the removal.
 */
async function receive(
  id: string,
  messageId: string | undefined,
  { db, services, ctx, origin, header }: Ground,
): Promise<Received> {
  const provider = await providers.findHeard(db, id)
  if (!provider || provider.secrets === '') throw notFound('provider')
  await requireOpenOrganisation(db, provider.org_id, 'provider')
  callbacksOfProvider.spend(id, 1)
  const body = await readBody(ctx.req, ctx.res, bodyLimit)
  const seal = createSeal(services(signingSecret), providers.sealPurpose)
  const reader = getCallbackReader(openForCallbacks(seal, provider))
  const urls = [...new Set([publicUrl(), origin])].map((base) => base + ctx.originalUrl)
  const callback = { urls, header, body, messageId }
  if (!reader.isSigned(callback)) throw unauthorized('The signature does not match the connection.')
  return { provider, reader, callback }
}
