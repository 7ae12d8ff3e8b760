import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import * as kept from '#sql/erp/changes.ts'
import * as imports from '#sql/erp/imports.ts'
import * as registers from '#sql/erp/registers.ts'
import { Instant } from '../http/instant.ts'
import { decodeCursor, encodeCursor } from '../http/lists/cursor.ts'
import { readFromArray, writePage } from '../http/lists/write-page.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'

const Register = z
  .object({
    name: z.string(),
    what: z.enum(['companies', 'officers', 'relations']),
    entries: z.number().describe('Number of companies, officers or relations in the last file'),
    licence: z.string().nullable(),
    import_id: Id.nullable().describe('ID of the last import'),
    imported_at: Instant.nullable(),
  })
  .meta({ id: 'erp.Register' })

export const list = route({
  method: 'GET',
  path: '/registers',
  summary: 'List registers',
  description: 'Returns the imported registers by name, with the time of their last import.',
  scope: 'erp:read',
  testKeys: 'shared',
  locks: [],
  status: 200,
  reply: z.object({ data: z.array(Register) }),
  async handle({ db }) {
    const found = await registers.list(db)
    return {
      data: found.map(({ name, what, companies: entries, licence, import_id, imported_at }) => ({
        ...{ name, what, entries, licence, import_id, imported_at },
      })),
    }
  },
})

const Change = z
  .object({
    kind: z.enum(kept.kinds),
    jurisdiction: z.string(),
    code: z.string(),
    name: z.string().nullable().describe('Current name'),
  })
  .meta({ id: 'erp.Change' })

export const changes = route({
  method: 'GET',
  path: '/imports/{id}/changes',
  summary: 'List the changes of an import',
  description:
    'Returns added, changed and removed companies, with counts. Up to 100,000 companies of each kind are stored for 90 days. The first import of a register (`first`) and imports of officers have only counts.',
  scope: 'erp:read',
  testKeys: 'shared',
  locks: [],
  params: z.object({ id: pathId('import') }),
  query: z.object({
    limit: queryInt(1, 1_000).default(100).describe('Maximum number of changes per page'),
    cursor: z.string().max(2_000).optional().describe('`next_cursor` of the previous page'),
  }),
  status: 200,
  reply: z.object({
    register: z.string(),
    imported_at: Instant.nullable(),
    first: z.boolean(),
    added: z.number(),
    changed: z.number(),
    removed: z.number(),
    data: z.array(Change),
    next_cursor: z.string().nullable(),
  }),
  problems: ['not_found'],
  async handle(call) {
    const { db, operation, params, query } = call
    const one = await imports.find(db, params.id)
    if (!one?.counts || one.state !== 'done') throw notFound('import')
    const after = decodeCursor(z.number().int().min(0), call)
    const found = await kept.list(db, one.id, { after, limit: query.limit + 1 })
    const { added, changed, missing: removed } = one.counts
    const about = { register: one.register, imported_at: one.finished_at, first: one.is_first, added, changed, removed }
    return await writePage<(typeof found)[number]>({
      operation,
      limit: query.limit,
      item: Change,
      read: readFromArray(found),
      present: ({ kind, jurisdiction, code, name }) => ({ kind, jurisdiction, code, name }),
      cursorAfter: ({ id }) => encodeCursor(call, id),
      more: () => about,
    })
  },
})
