import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/notify/inbox.ts'
import { type Mark, markAs } from '#sql/notify/inbox-marks.ts'
import * as users from '#sql/notify/users.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'

export const getPersonKey = (orgId: string, userId: string): users.Person => ({
  org_id: orgId,
  user_id: getPersonId(userId),
})

export async function markItems(
  db: DatabasePool,
  person: users.Person,
  what: rows.InboxSelection,
  mark: Mark | 'read',
): Promise<number> {
  return await db.transaction(async (tx) => {
    if (!(await users.lock(tx, person))) return 0
    const marked = mark === 'read' ? await rows.markRead(tx, person, what) : await markAs(tx, person, what, mark)
    if (marked > 0) await users.notifyInboxes(tx, [person])
    return marked
  })
}
