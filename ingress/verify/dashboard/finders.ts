import * as rows from '#sql/verify/verifications.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [
  findById('Verification', '/app/verify', (db, orgId, id) => rows.find(db, { orgId, sandbox: false }, id), {
    permission: 'log:read',
  }),
]
