import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { forbidden } from '#lib/errors.ts'
import * as audit from '#sql/account/audit.ts'
import * as orgs from '#sql/account/orgs.ts'
import type { Db } from '#sql/db.ts'
import { demandLive } from './grant.ts'
import type { By } from './keys.ts'

/** An organisation's name as it may be given. */
export const NameInput = z.string().trim().min(1).max(100).regex(withoutControl, 'must not hold control characters')

/** Gives an organisation another name; a key that is locked to a part of it, or for tests, may not. */
export async function renameOrg(tx: Db, by: By, name: string): Promise<orgs.Org> {
  if (Object.keys(by.grantor.locks).some((lock) => lock !== 'origins')) {
    throw forbidden('This key is locked to a part of the organisation.')
  }
  demandLive(by.grantor, 'renames the organisation')
  const before = await orgs.lock(tx, by.orgId)
  if (before.name === name) return before
  const after = await orgs.rename(tx, by.orgId, name)
  const change = { before: { name: before.name }, after: { name } }
  await audit.append(tx, { ...by, action: 'organisation.renamed', target: by.orgId, ...change })
  return after
}
