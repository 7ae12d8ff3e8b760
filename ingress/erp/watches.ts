import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import * as rows from '#sql/erp/watches.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { ambiguousCode, findCompany, jurisdiction } from './find-company.ts'

const Watch = z
  .object({
    id: Id,
    jurisdiction: z.string(),
    code: z.string(),
    name: z.string().nullable().describe('Current name of the company'),
    status: z.string().nullable().describe('Current status of the company'),
    note: z.string().nullable(),
    changed_at: Instant.nullable().describe('Time of the last change. `null` if nothing changed since you watch it.'),
    created_at: Instant,
  })
  .meta({ id: 'erp.Watch' })

const present = ({ org_id: _, ...row }: rows.Watch): z.input<typeof Watch> => row

const tooMany = problem(409, 'too_many_watches', `An organisation can watch up to ${rows.maxWatches} companies.`)

const Note = z.string().trim().max(500).nullable()

export const create = route({
  method: 'POST',
  path: '/watches',
  summary: 'Watch a company',
  description:
    'Millrace sends `erp.company.changed` when an import changes the registered data of the company. A company that is already watched keeps its ID. If the request contains a note, it replaces the existing note.',
  scope: 'erp:write',
  body: z.strictObject({
    code: z.string().trim().min(1).max(60).describe('Code of the company in its register'),
    jurisdiction,
    note: Note.optional(),
  }),
  status: 201,
  reply: Watch,
  problems: ['not_found', ambiguousCode, tooMany],
  example: { body: { code: '10000137', jurisdiction: 'xa', note: 'our supplier' } },
  async handle({ body, db, org }) {
    const company = await findCompany(db, body.code, body.jurisdiction, 'body.code')
    const watch = { id: newId(), org_id: org.id, note: body.note }
    return await db.transaction(async (tx) => {
      const put = await rows.put(tx, watch, company)
      if (!put) throw tooMany(tooMany.when)
      return present(put)
    })
  },
})

export const list = listRoute({
  path: '/watches',
  summary: 'List watched companies',
  description: 'Returns the companies that you watch, newest first.',
  scope: 'erp:read',
  filters: rows.filters,
  query: { jurisdiction },
  item: Watch,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

const ofOne = { params: z.object({ id: pathId('watch') }), problems: ['not_found'] } as const

export const read = route({
  ...ofOne,
  method: 'GET',
  path: '/watches/{id}',
  summary: 'Read a watched company',
  description: 'Returns the current name and status of the company and the time of its last change.',
  scope: 'erp:read',
  status: 200,
  reply: Watch,
  handle: async ({ params, db, org }) => present(await mustFind(rows.find(db, org.id, params.id), 'watch')),
})

export const change = route({
  ...ofOne,
  method: 'PATCH',
  path: '/watches/{id}',
  summary: 'Change the note of a watched company',
  description: 'The note is included in events of the company.',
  scope: 'erp:write',
  body: z.strictObject({ note: Note }),
  status: 200,
  reply: Watch,
  async handle({ params, body, db, org }) {
    await rows.update(db, org.id, params.id, body.note)
    return present(await mustFind(rows.find(db, org.id, params.id), 'watch'))
  },
})

export const remove = removeRoute({
  ...ofOne,
  path: '/watches/{id}',
  summary: 'Stop watching a company',
  description: 'Millrace sends no further events for the company.',
  scope: 'erp:write',
  what: 'watch',
  remove: ({ params, org, db }) => rows.remove(db, org.id, params.id),
})
