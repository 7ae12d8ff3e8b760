import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import { cancelClosure, requestClosure } from '#tasks/account/rules/closure.ts'
import { fcmToken, pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
const { db, orgId } = stack
const actor = { kind: 'operator', id: null, name: 'op' } as const

t.test(
  'what is due is not taken while its organisation is closing, and is again when that is taken back',
  async (t) => {
    const app = await stack.app('fcm')
    await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken() })
    const { id: message } = await stack.send(app, 'ann')
    const ids = { app_id: app, message_id: message, installation_id: newId(), push_user_id: newId() }
    const lane = { app_id: app, provider: 'fcm', environment: 'production' } as const
    const open = { platform: null, status: 'queued', reason: null, event: null, attempts: 0, sent_at: null } as const
    await deliveries.insertMany(db, [{ id: newId(), org_id: orgId, ...ids, ...lane, ...open }])
    const how = { lease: newId(), seconds: 60, limit: 10 }
    const taken = async () => (await db.transaction((tx) => deliveries.claim(tx, lane, how))).length
    await db.query(sql.typeAlias('void')`
      update push.messages set expires_at = now() - interval '1 hour' where id = ${message}`)

    await db.transaction((tx) => requestClosure(tx, { orgId, actor }))
    t.equal(await taken(), 0)
    t.same(await db.transaction((tx) => deliveries.claimExpired(tx, lane, { ...how, late: 60 })), [])
    t.equal(await deliveries.getSecondsUntilDue(db, lane), null)
    t.same(await deliveries.listOverdue(db, -60), [])
    await db.transaction((tx) => cancelClosure(tx, { orgId, actor }))
    t.equal((await deliveries.listOverdue(db, -60)).length, 1)
    t.equal(await taken(), 1)
  },
)
