import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as rows from '#sql/wiki/entities.ts'
import { recheckEntityQuotes } from '#tasks/wiki/rules/weigh.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Language } from './article-fields.ts'
import { keepProven, wouldUnprove } from './keep-proven.ts'

const params = z.object({ id: pathId('entity') })

const most = 100
/**
 * Maximum number of labels and aliases of an entity. If the entity is the value of a claim, each name is searched for
 * in every quote of the claim.
 */
const mostNames = 500
const Name = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9_]*$/, 'must be in snake_case')

const few = <Key extends z.ZodString, Value extends z.ZodType>(key: Key, value: Value) =>
  z.record(key, value).refine((given) => Object.keys(given).length <= most, `must have at most ${most} fields`)

const type = Name.describe('Kind of the entity, such as `company`')
const labels = few(Language, z.string().trim().min(1).max(400))
  .refine((given) => Object.keys(given).length > 0, 'must have a name in at least one language')
  .describe('Name by language')
const more = {
  descriptions: few(Language, z.string().trim().min(1).max(2_000)).optional(),
  aliases: few(Language, z.array(z.string().trim().min(1).max(400)).min(1).max(most)).optional(),
  external_ids: few(Name, z.string().trim().min(1).max(400))
    .optional()
    .describe('IDs in other databases. For example, `wikidata` or `lei`.'),
}

export const EntityForm = z.strictObject({ type, labels, ...more })

export const Entity = z
  .object({
    id: Id,
    type: z.string(),
    labels: z.record(z.string(), z.string()),
    descriptions: z.record(z.string(), z.string()),
    aliases: z.record(z.string(), z.array(z.string())),
    external_ids: z.record(z.string(), z.string()),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'wiki.Entity' })

export const EntitySummary = Entity.omit({ descriptions: true, aliases: true }).meta({ id: 'wiki.EntitySummary' })

export function requireFewNames(entity: Parameters<typeof rows.allNames>[0], field: string): void {
  const count = rows.allNames(entity).length
  if (count <= mostNames) return
  const issue = `must have at most ${mostNames} names (labels and aliases), but has ${count}`
  throw badRequest([{ field, issue }])
}

export const present = <Shown extends rows.EntitySummary>({ org_id: _, ...row }: Shown) => row

export const create = route({
  method: 'POST',
  path: '/entities',
  summary: 'Create an entity',
  description: 'Creates an entity, which is the subject of claims.',
  scope: 'wiki:write',
  idempotent: true,
  body: z.strictObject({ type, labels, ...more }),
  status: 200,
  reply: Entity,
  example: {
    body: { type: 'city', labels: { en: 'Tallinn', de: 'Tallinn' }, external_ids: { wikidata: 'Q1770' } },
  },
  async handle({ body, org, db }) {
    const { descriptions = {}, aliases = {}, external_ids = {} } = body
    const { type, labels } = body
    requireFewNames({ labels, aliases }, 'body.aliases')
    return present(
      await rows.insert(db, { id: newId(), org_id: org.id, type, labels, descriptions, aliases, external_ids }),
    )
  },
})

export const list = listRoute({
  path: '/entities',
  summary: 'List entities, newest first',
  description: 'Returns entities with their labels and external IDs. Read an entity for its descriptions and aliases.',
  scope: 'wiki:read',
  reads: 'replica',
  filters: rows.filters,
  query: { type: type.optional() },
  item: EntitySummary,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/entities/{id}',
  summary: 'Read an entity',
  description: 'Returns the entity with its labels, descriptions, aliases and external IDs.',
  scope: 'wiki:read',
  params,
  status: 200,
  reply: Entity,
  problems: ['not_found'],
  async handle({ params, org, db }) {
    return present(await mustFind(rows.find(db, org.id, params.id), 'entity'))
  },
})

export const update = route({
  method: 'PATCH',
  path: '/entities/{id}',
  summary: 'Update an entity',
  description:
    'Each field that you send replaces the existing value. If the entity is the value of a claim, quotes must still contain one of its names.',
  scope: 'wiki:write',
  params,
  body: z.strictObject({ type: type.optional(), labels: labels.optional(), ...more }),
  status: 200,
  reply: Entity,
  problems: ['not_found', 'conflict', wouldUnprove],
  async handle({ params: { id }, body, org, db }) {
    return await db.transaction(async (tx) => {
      const claimIds = await mustFind(rows.lock(tx, org.id, id), 'entity')
      return await keepProven(tx, { claimIds }, async () => {
        const entity = await mustFind(rows.update(tx, org.id, id, body), 'entity')
        if (body.labels || body.aliases) {
          requireFewNames(entity, body.aliases ? 'body.aliases' : 'body.labels')
          await recheckEntityQuotes(tx, id)
        }
        return present(entity)
      })
    })
  },
})
