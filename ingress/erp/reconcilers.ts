import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { secret } from '#lib/secret-fields.ts'
import { hashSecret, makeSecret } from '#lib/tokens.ts'
import * as rows from '#sql/erp/reconcilers.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'

const Reconciler = z
  .object({
    id: Id,
    name: z.string(),
    url: secret(z.string().nullable()).describe('URL to enter in OpenRefine. `null` if it cannot be decrypted.'),
    last_used_at: Instant.nullable(),
    created_at: Instant,
  })
  .meta({ id: 'erp.Reconciler' })

const sealOf = (services: Services) => createSeal(services(signingSecret), rows.sealPurpose)

const tooMany = problem(409, 'too_many_reconcilers', `An organisation can have up to ${rows.maxReconcilers} URLs.`)

interface Place {
  origin: string
  services: Services
}

/** Returns the URL. `null` if it cannot be decrypted. */
export function openUrl({ id, token }: rows.Reconciler, { origin, services }: Place): string | null {
  const opened = sealOf(services).open(token, id)
  return opened === null ? null : `${origin}/reconcile/${opened}`
}

function present(row: rows.Reconciler, place: Place): z.input<typeof Reconciler> {
  const { id, name, last_used_at, created_at } = row
  return { id, name, url: openUrl(row, place), last_used_at, created_at }
}

export const create = route({
  method: 'POST',
  path: '/reconcilers',
  summary: 'Create a reconciliation URL',
  description:
    'Programs such as OpenRefine, which cannot send an API key, match companies with this URL. Anyone who has the URL can search the registry.',
  scope: 'erp:write',
  body: z.strictObject({ name: z.string().trim().min(1).max(100) }),
  status: 201,
  reply: Reconciler,
  problems: [tooMany],
  example: { body: { name: 'OpenRefine of the finance team' } },
  async handle({ body, org, db, origin, services }) {
    const [id, token] = [newId(), makeSecret()]
    const sealed = { token: sealOf(services).close(token, id), token_hash: hashSecret(token) }
    const made = await db.transaction((tx) => rows.insert(tx, { id, org_id: org.id, name: body.name, ...sealed }))
    if (!made) throw tooMany(tooMany.when)
    return present(made, { origin, services })
  },
})

export const list = listRoute({
  path: '/reconcilers',
  summary: 'List reconciliation URLs',
  description: 'Returns the URLs, newest first.',
  scope: 'erp:write',
  filters: rows.filters,
  query: {},
  item: Reconciler,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (row, { origin, services }) => present(row, { origin, services }),
})

const ofOne = { params: z.object({ id: pathId('reconciler') }), problems: ['not_found'] } as const

export const read = route({
  ...ofOne,
  method: 'GET',
  path: '/reconcilers/{id}',
  summary: 'Read a reconciliation URL',
  description: 'Returns the URL and the time of its last use.',
  scope: 'erp:write',
  status: 200,
  reply: Reconciler,
  handle: async ({ params, db, org, origin, services }) =>
    present(await mustFind(rows.find(db, org.id, params.id), 'reconciler'), { origin, services }),
})

export const remove = removeRoute({
  ...ofOne,
  path: '/reconcilers/{id}',
  summary: 'Delete a reconciliation URL',
  description: 'The URL stops working immediately.',
  scope: 'erp:write',
  what: 'reconciler',
  remove: ({ params, org, db }) => rows.remove(db, org.id, params.id),
})
