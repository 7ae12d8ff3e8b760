import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import * as audit from '#sql/account/audit.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as publishers from '#sql/account/publishers.ts'
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

export const BrandColor = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, 'must be a colour such as #0a6282')

/** Sets the colour of the organisation’s public pages. Null removes it. */
export async function setBrandColor(tx: Db, by: Doer, color: string | null): Promise<void> {
  await readAuthority(tx, by, 'settings')
  const { name } = await orgs.lock(tx, by.orgId)
  const before = await publishers.find(tx, by.orgId)
  if (before?.brand_color === color) return
  await publishers.setColor(tx, by.orgId, color)
  await audit.append(tx, {
    ...toAct(by),
    action: 'organisation.brand_changed',
    target: by.orgId,
    before: { name, brand_color: before?.brand_color ?? null },
    after: { name, brand_color: color },
  })
}
