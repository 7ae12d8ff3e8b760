import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Seal } from '#lib/seal.ts'
import { randomText } from '#lib/tokens.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/intake/sources.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { release, resumeSource } from '#tasks/intake/release.ts'
import {
  createSourceSeal,
  createToken,
  openSecrets,
  sealHeaders,
  sealSecrets,
} from '#tasks/intake/rules/source-secrets.ts'
import { createSecret } from '#tasks/webhooks/rules/secrets.ts'
import { demandJobUrls } from '#tasks/work/rules/job-urls.ts'
import type { Services } from '../http/container.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { type ForwardForm, toForward } from './forward-form.ts'
import { findSecretFault, Secret, SourceChanges, SourceForm, takesSecret } from './source-form.ts'
import { present, Source, SourceWithSecret } from './source-view.ts'

const tooMany = problem(409, 'too_many_sources', `An organisation can have up to ${rows.maxSources} sources.`)

const params = z.object({ id: pathId('source') })

const sealOf = (services: Services): Seal => createSourceSeal(services(signingSecret))

const demandForwardUrl = async (db: Db, orgId: string, forward: ForwardForm | null | undefined): Promise<void> => {
  if (forward) await demandJobUrls(db, orgId, [{ url: forward.url, field: 'body.forward.url' }])
}

/** Returns the columns of a form’s `forward`. Headers that are omitted stay the same. */
function forwardColumns(
  seal: Seal,
  id: string,
  given: ForwardForm | null,
): { forward: rows.Forward | null; forward_headers?: string | null } {
  if (given === null) return { forward: null, forward_headers: null }
  const { headers } = given
  return { forward: toForward(given), ...(headers && { forward_headers: sealHeaders(seal, id, headers) }) }
}

/** Returns a new secret. Null if the provider creates its secrets. */
function createProviderSecret(provider: rows.Provider): string | null {
  if (!takesSecret(provider)) return null
  return provider === 'standard' ? createSecret() : randomText()
}

export const create = route({
  method: 'POST',
  path: '/sources',
  summary: 'Create a source',
  description:
    'Returns the URL to enter at the provider. Requests with a valid signature are stored, answered and forwarded as jobs.',
  scope: 'intake:write',
  body: SourceForm,
  status: 201,
  reply: SourceWithSecret,
  problems: [tooMany],
  example: {
    body: {
      name: 'Stripe',
      provider: 'stripe',
      secret: 'whsec_0f1e2d3c4b5a69788796a5b4c3d2e1f0',
      forward: { url: 'https://api.example.com/stripe' },
      event_types: ['invoice.*'],
    },
  },
  async handle({ body, org, db, origin, services }) {
    const { secret: given, forward, hmac = null, ...fields } = body
    await demandForwardUrl(db, org.id, forward)
    const [id, seal] = [newId(), sealOf(services)]
    const secret = given ?? createProviderSecret(body.provider)
    const row = {
      ...{ id, org_id: org.id, ...fields, hmac, forward_headers: null, forward: null },
      ...{ secrets: sealSecrets(seal, id, { current: secret }), ...createToken(seal, id) },
      ...forwardColumns(seal, id, forward),
    }
    const made = await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'intake.sources')
      return await rows.insert(tx, row)
    })
    if (!made) throw tooMany(tooMany.when)
    return { ...present(made, { origin, seal }), secret: given === undefined ? secret : null }
  },
})

export const list = listRoute({
  path: '/sources',
  summary: 'List sources, newest first',
  description: 'Returns your sources with their URLs, without their secrets.',
  scope: 'intake:read',
  filters: rows.filters,
  query: { provider: rows.Provider.optional(), status: rows.table.Row.shape.status.optional() },
  item: Source,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (row, { origin, services }) => present(row, { origin, seal: sealOf(services) }),
})

export const read = route({
  method: 'GET',
  path: '/sources/{id}',
  summary: 'Read a source',
  description: 'Returns a source with its URL. Secrets are not returned.',
  scope: 'intake:read',
  params,
  status: 200,
  reply: Source,
  problems: ['not_found'],
  handle: async ({ params, org, db, origin, services }) =>
    present(await mustFind(rows.find(db, org.id, params.id), 'source'), { origin, seal: sealOf(services) }),
})

export const update = route({
  method: 'PATCH',
  path: '/sources/{id}',
  summary: 'Update a source',
  description:
    'Changes the given fields. `forward` is replaced completely, but its headers stay the same if you omit `headers`.',
  scope: 'intake:write',
  params,
  body: SourceChanges,
  status: 200,
  reply: Source,
  problems: ['not_found'],
  async handle({ params: { id }, body, org, db, origin, services }) {
    const seal = sealOf(services)
    await demandForwardUrl(db, org.id, body.forward)
    const changed = await db.transaction(async (tx) => {
      const before = await mustFind(rows.lock(tx, org.id, id), 'source')
      if (body.hmac && before.provider !== 'hmac')
        throw badRequest([{ field: 'body.hmac', issue: `cannot be used with the provider ${before.provider}` }])
      const { forward, ...fields } = body
      const columns = forward === undefined ? {} : forwardColumns(seal, id, forward)
      return await mustFind(rows.update(tx, org.id, id, { ...fields, ...columns }), 'source')
    })
    return present(changed, { origin, seal })
  },
})

export const remove = removeRoute({
  path: '/sources/{id}',
  summary: 'Delete a source',
  description: 'Also deletes its requests. Its URL returns `404`. Jobs that already exist continue.',
  scope: 'intake:write',
  params,
  what: 'source',
  remove: ({ params: { id }, org, db }) => rows.remove(db, org.id, id),
})

const KeepHours = z
  .int()
  .min(0)
  .max(168)
  .default(24)
  .describe('Hours in which the previous value is also valid. 0: not at all.')

const untilAfter = (hours: number): Date | null => (hours === 0 ? null : new Date(Date.now() + hours * 3_600_000))

export const rotateSecret = route({
  method: 'POST',
  path: '/sources/{id}/secret',
  summary: 'Replace the secret of a source',
  description: 'Signatures with the previous secret are also valid for `keep_hours`.',
  scope: 'intake:write',
  params,
  body: z.strictObject({ secret: Secret.optional(), keep_hours: KeepHours }),
  status: 200,
  reply: SourceWithSecret,
  problems: ['not_found'],
  async handle({ params: { id }, body, org, db, origin, services }) {
    const seal = sealOf(services)
    const { source, secret } = await db.transaction(async (tx) => {
      const before = await mustFind(rows.lock(tx, org.id, id), 'source')
      const issue = body.secret === undefined ? undefined : findSecretFault(before.provider, body.secret)
      if (issue) throw badRequest([{ field: 'body.secret', issue }])
      const current = body.secret ?? createProviderSecret(before.provider)
      if (current === null)
        throw badRequest([{ field: 'body.secret', issue: `is required. Copy it from ${before.provider}` }])
      const previous_until = untilAfter(body.keep_hours)
      const previous = (previous_until && openSecrets(seal, before)?.current) ?? undefined
      const secrets = sealSecrets(seal, id, { current, ...(previous !== undefined && { previous }) })
      const source = await mustFind(rows.update(tx, org.id, id, { secrets, previous_until }), 'source')
      return { source, secret: body.secret === undefined ? current : null }
    })
    return { ...present(source, { origin, seal }), secret }
  },
})

export const rotateUrl = route({
  method: 'POST',
  path: '/sources/{id}/url',
  summary: 'Replace the URL of a source',
  description: 'Requests to the previous URL are also accepted for `keep_hours`.',
  scope: 'intake:write',
  params,
  body: z.strictObject({ keep_hours: KeepHours }).default({ keep_hours: 24 }),
  status: 200,
  reply: Source,
  problems: ['not_found'],
  async handle({ params: { id }, body, org, db, origin, services }) {
    const seal = sealOf(services)
    const source = await db.transaction(async (tx) => {
      const { token_hash } = await mustFind(rows.lock(tx, org.id, id), 'source')
      const until = untilAfter(body.keep_hours)
      const previous = { previous_token_hash: until && token_hash, previous_token_until: until }
      return await mustFind(rows.update(tx, org.id, id, { ...createToken(seal, id), ...previous }), 'source')
    })
    return present(source, { origin, seal })
  },
})

export const pause = route({
  method: 'POST',
  path: '/sources/{id}/pause',
  summary: 'Pause a source',
  description: 'Requests are still accepted and stored. They are held until you resume the source.',
  scope: 'intake:write',
  params,
  status: 200,
  reply: Source,
  problems: ['not_found'],
  async handle({ params: { id }, org, db, origin, services }) {
    const source = await mustFind(rows.update(db, org.id, id, { status: 'paused' }), 'source')
    return present(source, { origin, seal: sealOf(services) })
  },
})

export const resume = route({
  method: 'POST',
  path: '/sources/{id}/resume',
  summary: 'Resume a source',
  description: 'Forwards the held requests in the order of their arrival. New requests follow them.',
  scope: 'intake:write',
  enqueues: release,
  params,
  status: 200,
  reply: Source,
  problems: ['not_found'],
  async handle({ params: { id }, org, db, origin, services }) {
    const source = await mustFind(
      db.transaction((tx) => resumeSource(tx, org.id, id)),
      'source',
    )
    return present(source, { origin, seal: sealOf(services) })
  },
})
