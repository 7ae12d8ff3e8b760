import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as vouched from '#sql/email/contacts/vouched.ts'
import * as imports from '#sql/email/imports.ts'
import * as controls from '#sql/jobs/controls.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { confirmMany } from './rules/consent/confirm-many.ts'

const pageSize = 500

const pagesPerRun = 40

/** Confirms the contacts of an import after an operator vouched for it, page by page. */
export const confirmImport = task({
  name: 'email/confirm-import',
  pool: 'mail-campaign',
  payload: z.object({ importId: Id }),
  attempts: 8,
  timeout: 10 * 60_000,
  async run({ importId }, { db, signal }) {
    for (let page = 0; page < pagesPerRun; page++) {
      signal.throwIfAborted()
      if (!(await db.transaction((tx) => confirmPage(tx, importId)))) return
    }
    throw new Later(0, 'more contacts follow')
  },
})

async function confirmPage(tx: Db, id: string): Promise<boolean> {
  const found = await imports.lock(tx, id)
  if (!found?.vouched_at) return false
  const page = await vouched.listConsentsOf(tx, id, found.confirmed_after, pageSize, found.sandbox)
  const last = page.at(-1)
  if (!last) return false
  const sources = new Map(page.map(({ contact_id, source }) => [contact_id, source]))
  await confirmMany(
    tx,
    found.org_id,
    [...sources].map(([id, source]) => ({ id, source })),
    found.sandbox,
  )
  await imports.setConfirmedAfter(tx, id, last.id)
  return true
}

/**
 * Vouches for the consents of an import as an operator. Rows that follow are confirmed as they are read. Returns false
 * if an operator has already vouched for it, or if it has no consents.
 */
export async function vouchForImport(db: DatabasePool, id: string, actor: string, reason: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const found = await imports.lock(tx, id)
    if (!found || !(await imports.vouch(tx, id, actor, reason))) return false
    const target = `consent import ${id} of ${found.org_id}`
    await controls.recordAction(tx, { actor, action: 'vouch', target, count: found.rows, reason })
    await enqueue(tx, confirmImport, { importId: id }, { orgId: found.org_id, key: `confirm-import:${id}` })
    return true
  })
}
