import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Int4 } from '#lib/input-types.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as imports from '#sql/moving/imports.ts'
import * as rows from '#sql/moving/rows.ts'
import { importAll } from '#tasks/moving/import.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { listRoute, orderedListRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Import, ImportWithParts, NewImport, present, Row } from './fields.ts'
import { demandScopes, importOpen, readParts, readRows, storeImport } from './start-import.ts'

const params = z.object({ id: pathId('import') })

export const create = route({
  method: 'POST',
  path: '/imports',
  summary: 'Import data from another provider',
  description:
    'Reads templates, suppressions and contacts from Resend, Postmark or SendGrid, devices from OneSignal, or videos from Mux. With `api_key`, Millrace reads them from the provider’s API in the background. By default, the import is only checked and waits for `apply`. The key needs the scope of each part: `email:manage`, `push:manage` or `stream:write`. An organisation can have one import in progress.',
  scope: 'account:read',
  beyondContract: true,
  limit: { perMinute: 20, by: 'org' },
  bodyLimit: 12 * 1024 * 1024,
  body: NewImport,
  status: 202,
  reply: Import,
  problems: ['forbidden', importOpen],
  example: { body: { provider: 'resend', api_key: 're_your_api_key', parts: ['templates', 'contacts'] } },
  enqueues: importAll,
  async prepare({ body, org, key }) {
    const parts = readParts(body)
    demandScopes({ key }, parts)
    return { parts, rows: await readRows(body, { org }) }
  },
  async handle({ body, prepared, org, key, db, services }) {
    return present(await db.transaction((tx) => storeImport(tx, { org, key, services }, body, prepared)))
  },
})

export const list = listRoute({
  path: '/imports',
  summary: 'List imports from other providers',
  description: 'Returns the imports with their progress, newest first.',
  scope: 'account:read',
  beyondContract: true,
  filters: imports.filters,
  query: { provider: imports.Provider.optional(), status: imports.Status.optional() },
  item: Import,
  rows: ({ org, db }, page) => imports.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/imports/{id}',
  summary: 'Read an import from another provider',
  description: 'Returns the progress of the import, and the number of objects by part and outcome.',
  scope: 'account:read',
  beyondContract: true,
  params,
  status: 200,
  reply: ImportWithParts,
  problems: ['not_found'],
  async handle({ params: { id }, org, db }) {
    const found = await mustFind(imports.find(db, org.id, id), 'import')
    return { ...present(found), counts: [...(await rows.countParts(db, id))] }
  },
})

export const results = orderedListRoute({
  path: '/imports/{id}/rows',
  summary: 'List the objects of an import',
  description: `Returns what the import has read, with the result of each object. Rows are kept for ${rows.keepDays} days. The key needs the scope of each part.`,
  scope: 'account:read',
  beyondContract: true,
  params,
  problems: ['not_found', 'forbidden'],
  filters: rows.filters,
  query: { outcome: rows.Outcome.optional(), part: imports.Part.optional() },
  item: Row,
  key: Int4,
  keyOf: ({ number }: rows.RowView) => number,
  async rows({ params: { id }, org, key, db }, page) {
    const { parts } = await mustFind(imports.find(db, org.id, id), 'import')
    demandScopes({ key }, parts)
    return await rows.list(db, id, page)
  },
  present: ({ created_at: _, ...row }) => row,
})

export const apply = route({
  method: 'POST',
  path: '/imports/{id}/apply',
  summary: 'Apply a checked import',
  description: 'Creates the objects of an import with the status `ready`. Objects that exist are not changed.',
  scope: 'account:read',
  beyondContract: true,
  params,
  status: 202,
  reply: Import,
  problems: ['not_found', 'conflict', 'forbidden', importOpen],
  enqueues: importAll,
  handle: async ({ params: { id }, org, key, db }) =>
    present(await db.transaction((tx) => applyImport(tx, { org, key }, id))),
})

/** Starts to write a checked import, with the authority of the calling key. */
async function applyImport(tx: Db, { org, key }: Pick<Caller, 'org' | 'key'>, id: string): Promise<imports.Import> {
  const found = await lockOwn(tx, { org, key }, id)
  if (found.status !== 'ready')
    throw conflict(`The import has the status ${found.status}. Only \`ready\` can be applied.`)
  const started = await imports.startWriting(tx, id, key.id).catch((error: unknown) => {
    throw error instanceof UniqueIntegrityConstraintViolationError ? importOpen(importOpen.when) : error
  })
  await enqueue(tx, importAll, { importId: id }, { orgId: org.id, key: `moving:${id}` })
  return started
}

async function lockOwn(tx: Db, { org, key }: Pick<Caller, 'org' | 'key'>, id: string): Promise<imports.Import> {
  await mustFind(imports.find(tx, org.id, id), 'import')
  const found = await mustFind(imports.lock(tx, id), 'import')
  demandScopes({ key }, found.parts)
  return found
}

export const cancel = route({
  method: 'POST',
  path: '/imports/{id}/cancel',
  summary: 'Cancel an import',
  description:
    'Stops the import, and deletes the key of the provider. Objects that were already created are kept. An import that has ended does not change.',
  scope: 'account:read',
  beyondContract: true,
  params,
  status: 200,
  reply: Import,
  problems: ['not_found', 'forbidden'],
  handle: async ({ params: { id }, org, key, db }) =>
    present(
      await db.transaction(async (tx) => {
        const found = await lockOwn(tx, { org, key }, id)
        if (found.finished_at !== null) return found
        await rows.clearItems(tx, id)
        return await imports.setStatus(tx, id, 'cancelled')
      }),
    ),
})
