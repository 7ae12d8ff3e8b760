import * as objects from '#sql/files/objects.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [
  findById('File', '/app/files', (db, orgId, id) => objects.find(db, { orgId }, id), { name: 'filename' }),
]
