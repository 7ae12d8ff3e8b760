import { sql } from '../db.ts'
import { deleted, type PersonTable } from '../people/person-table.ts'

/** Tables of playback with rows of people. */
export const personTables: readonly PersonTable[] = [
  deleted(
    'video',
    'playback_sessions',
    ({ org_id, user_id }) => sql.fragment`old.org_id = ${org_id} and old.viewer_id = ${user_id}`,
  ),
]
