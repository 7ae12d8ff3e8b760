import { z } from 'zod'
import { config } from '#lib/config.ts'
import { badRequest, notFound, Problem } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/push/credentials.ts'
import { checkCredential } from '#tasks/push/check-credential.ts'
import { wakeLanes } from '#tasks/push/deliver.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { parseWithFaults } from '../http/request/issues.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { questions } from '../http/services.ts'
import { ApnsForm, createVapidKeys, FcmForm, WebpushForm } from './apps/credential-forms.ts'
import { findOwnApp } from './apps/own-app.ts'
import { sealCredential } from './apps/seal.ts'

/** Timeout in milliseconds of a provider’s check of a credential. */
const checkMs = 12_000

const environments = z.enum(['production', 'sandbox'])
const provider = rows.table.Row.shape.provider
const params = z.object({ app_id: pathId('app'), provider })

const Credential = z
  .object({
    provider,
    environment: environments,
    facts: z
      .record(z.string(), z.string())
      .describe('Public values: key ID, team ID and topic, project, or public key'),
    check: z
      .enum(['ok', 'failed', 'unreachable'])
      .nullable()
      .describe('Result of the check with the provider when the credential was set. `null` if it was not checked.'),
    check_reason: z.string().nullable(),
    checked_at: Instant.nullable(),
    breaker: z
      .object({ open_until: Instant, reason: z.string().nullable() })
      .nullable()
      .describe('Set if the provider rejected the credential. Nothing is sent with the credential until `open_until`.'),
    created_at: Instant,
  })
  .meta({ id: 'push.Credential' })

const present = (row: rows.CredentialFacts): z.input<typeof Credential> => ({
  provider: row.provider,
  environment: row.environment,
  facts: row.facts,
  check: row.check_state,
  check_reason: row.check_reason,
  checked_at: row.checked_at,
  breaker: row.open_until && { open_until: row.open_until, reason: row.open_reason },
  created_at: row.created_at,
})

/** Parses a request by provider, because the schema of the body depends on the path. */
const forms = {
  apns(body: unknown) {
    const { key, environment, ...facts } = parsed(ApnsForm, body)
    return { environment, facts, secret: key }
  },
  fcm(body: unknown) {
    const { environment, service_account } = parsed(FcmForm, body)
    const { project_id, client_email } = service_account
    return { environment, facts: { project_id, client_email }, secret: JSON.stringify(service_account) }
  },
  webpush(body: unknown, subject: string) {
    const form = parsed(WebpushForm, body)
    const { public_key, private_key } = form
    const own = public_key && private_key ? { publicKey: plain(public_key), privateKey: plain(private_key) } : undefined
    const { publicKey, privateKey } = own ?? createVapidKeys()
    const facts = { public_key: publicKey, subject: form.subject ?? subject }
    return { environment: form.environment, facts, secret: privateKey }
  },
}

/** Removes the padding of base64url. */
const plain = (key: string): string => key.replace(/={1,2}$/, '')

function parsed<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const faults: Parameters<typeof parseWithFaults>[3] = []
  const value = parseWithFaults(schema, body, 'body', faults)
  if (faults.length > 0) throw badRequest(faults)
  return value as z.output<S>
}

export const put = route({
  method: 'PUT',
  path: '/apps/{app_id}/credentials/{provider}',
  summary: 'Set a credential',
  description:
    'Fields by provider. `apns`: `key` (the content of the .p8 file), `key_id`, `team_id`, `topic`, `environment`. `fcm`: `service_account` (the JSON object). `webpush`: `subject`. It creates a new VAPID key pair, so browsers must subscribe again. To keep the key pair of another provider, send its `public_key` and `private_key`. Millrace checks the credential with the provider and returns the result in `check`. Pending deliveries are sent with the new credential.',
  scope: 'push:manage',
  locks: ['app_id'],
  params,
  body: z.looseObject({}).describe('Fields for the provider, as listed in the description'),
  status: 200,
  reply: Credential,
  problems: ['not_found'],
  example: {
    body: {
      key: '-----BEGIN PRIVATE KEY-----…',
      key_id: 'ABC123DEFG',
      team_id: 'TEAM123456',
      topic: 'com.example.shop',
    },
  },
  async handle({ params, body, org, key, db, services }) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    const before = params.provider === 'webpush' ? (await rows.listForApp(db, app.id, 'webpush'))[0] : undefined
    const { environment, facts, secret } = forms[params.provider](body, before?.facts.subject ?? config.PUSH_SUBJECT)
    const id = newId()
    const lane = { app_id: app.id, org_id: org.id, provider: params.provider, environment }
    await db.transaction(async (tx) => {
      await rows.put(tx, { id, ...lane, facts, secret: sealCredential(services, id, secret) })
      await wakeLanes(tx, [{ lane, deliveries: 1 }])
    })
    if (params.provider !== 'webpush') await checkWithProvider(db, services, id, org.id)
    const [set] = (await rows.listForApp(db, app.id, params.provider)).filter((row) => row.environment === environment)
    if (!set) throw notFound('credential')
    return present(set)
  },
})

/**
 * Checks the credential with the provider through a worker. Without a response, the credential is recorded as
 * unreachable.
 */
export async function checkWithProvider(
  db: DatabasePool,
  services: Services,
  id: string,
  orgId: string,
): Promise<void> {
  try {
    const about = { orgId, subject: id, timeout: checkMs }
    await services(questions).ask(checkCredential, { credentialId: id }, about)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    await rows.saveCheck(db, id, { state: 'unreachable', reason: 'The provider did not respond in time.' })
  }
}

export const retry = route({
  method: 'POST',
  path: '/apps/{app_id}/credentials/{provider}/retry',
  summary: 'Retry a rejected credential',
  description:
    'Sends a few pending deliveries immediately, and the others after the provider has accepted one of them. Has no effect on a credential that is not rejected.',
  scope: 'push:manage',
  locks: ['app_id'],
  params,
  body: z.strictObject({ environment: environments.default('production') }).default({ environment: 'production' }),
  status: 200,
  reply: Credential,
  problems: ['not_found'],
  async handle({ params, body: { environment }, org, key, db }) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    const lane = { app_id: app.id, org_id: org.id, provider: params.provider, environment }
    return await db.transaction(async (tx) => {
      const found = await mustFind(rows.endBreakerWait(tx, lane), 'credential')
      await wakeLanes(tx, [{ lane, deliveries: 1 }])
      return present(found)
    })
  },
})

export const read = route({
  method: 'GET',
  path: '/apps/{app_id}/credentials/{provider}',
  summary: 'Read the credentials of a provider',
  description: 'Returns the credentials without their secrets.',
  scope: 'push:manage',
  locks: ['app_id'],
  params,
  status: 200,
  reply: z.object({ data: z.array(Credential) }),
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    return { data: (await rows.listForApp(db, app.id, params.provider)).map(present) }
  },
})

export const remove = removeRoute({
  path: '/apps/{app_id}/credentials/{provider}',
  summary: 'Delete a credential',
  description:
    'Deletes the credential of one environment or of all environments. Pending deliveries fail with `no_credential`.',
  scope: 'push:manage',
  locks: ['app_id'],
  params,
  query: z.object({ environment: environments.optional() }),
  reply: { provider },
  what: 'credential',
  async remove({ params, query, org, key, db }) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    const lanes = await rows.remove(db, app.id, { ...query, provider: params.provider })
    if (lanes.length === 0) return false
    await wakeLanes(
      db,
      lanes.map((lane) => ({ lane: { ...lane, app_id: app.id, org_id: org.id }, deliveries: 1 })),
    )
  },
})
