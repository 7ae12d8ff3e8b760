import type { DatabasePool } from '#sql/db.ts'
import * as checks from '#sql/identity/checks.ts'
import { findById } from '../../http/dashboard/finders.ts'

async function find(db: DatabasePool, orgId: string, id: string): Promise<unknown> {
  const found = await checks.findAny(db, id)
  return found?.org_id === orgId ? found : null
}

export const finders = [findById('Identity check', '/app/identity', find, { permission: 'contents:read' })]
