import type { Db } from '#sql/db.ts'
import * as inbox from '#sql/notify/inbox.ts'
import * as users from '#sql/notify/users.ts'

type Placed = Omit<Parameters<typeof inbox.insertMany>[1][number], 'number'>

/** Puts events into the inboxes of their people, each as a separate change. Notifies the streams. */
export async function placeInInboxes(tx: Db, placed: readonly Placed[]): Promise<void> {
  const byPerson = [...Map.groupBy(placed, users.getPersonName)]
  const counts = byPerson.map(([, rows]) => ({ ...(rows[0] as users.Person), count: rows.length }))
  const last = await users.reserveNumbers(tx, counts)
  await inbox.insertMany(
    tx,
    byPerson.flatMap(([name, rows]) =>
      rows.map(({ id, org_id, user_id, product_key, shown = null }, i) => {
        const number = (last.get(name) as number) - rows.length + 1 + i
        return { id, org_id, user_id, product_key, number, shown }
      }),
    ),
  )
  await users.notifyInboxes(tx, placed)
}
