import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import * as audit from '#sql/account/audit.ts'
import * as orgs from '#sql/account/orgs.ts'
import type { Db } from '#sql/db.ts'
import { readAuthority } from './authority.ts'
import { type Doer, toAct } from './doer.ts'

export const NameInput = z.string().trim().min(1).max(100).regex(withoutControl, 'must not contain control characters')

export async function renameOrg(tx: Db, by: Doer, name: string): Promise<orgs.Org> {
  await readAuthority(tx, by, 'settings')
  const before = await orgs.lock(tx, by.orgId)
  if (before.name === name) return before
  const after = await orgs.rename(tx, by.orgId, name)
  const change = { before: { name: before.name }, after: { name } }
  await audit.append(tx, { ...toAct(by), action: 'organisation.renamed', target: by.orgId, ...change })
  return after
}
