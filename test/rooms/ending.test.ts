import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { endRoom, joinRoom, leaveRoom } from '#tasks/rooms/rules/presence.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'
import { leaseholder } from '../support/leaseholder.ts'
import { until } from '../support/until.ts'

t.test('a participant who leaves while the room ends does not make a deadlock', async (t) => {
  const { db } = await testDatabase(t)
  const { org } = await testOrg(db)
  const room = newId()
  await db.query(sql.typeAlias('void')`
    insert into rooms.rooms (id, org_id, name, max_participants, empty_timeout_seconds)
    values (${room}, ${org.id}, 'Talk', 10, 60)`)
  const connection = newId()
  const worker = await leaseholder(db, 'rooms')
  await db.transaction(async (tx) => {
    const open = await rooms.lockOpen(tx, room)
    if (!open) throw new Error('no room')
    await joinRoom(tx, open, {
      room_id: room,
      participant_id: newId(),
      identity: 'ada',
      display_name: 'Ada',
      role: 'host',
      token_id: newId(),
      worker_id: worker,
      connection_id: connection,
    })
  })
  const isWaiting = () =>
    db.exists(sql.unsafe`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  // A deadlock would be retried, so each transaction would run again.
  const runs = { ending: 0, leaving: 0 }
  const [locked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ending = db.transaction(async (tx) => {
    runs.ending++
    await rooms.lockOpen(tx, room)
    locked.resolve()
    await go.promise
    await endRoom(tx, room, 'ended')
  })
  await locked.promise
  const leaving = db.transaction(async (tx) => {
    runs.leaving++
    await leaveRoom(tx, [connection], 'left')
  })
  await until(isWaiting)
  go.resolve()
  await Promise.all([ending, leaving])
  t.same(runs, { ending: 1, leaving: 1 })
})
