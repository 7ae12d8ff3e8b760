import t from 'tap'
import { z } from 'zod'
import * as keys from '#sql/account/keys.ts'
import { type Db, sql } from '#sql/db.ts'
import { keyChanges } from '../../ingress/http/key-changes.ts'
import { liveKeys } from '../../ingress/http/live-keys.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const key = { prefix: 'bt_live_' as const, scopes: ['push:send'] }
const { services } = (await testIngress(t, db)).app
const [live, changes] = [services(liveKeys), services(keyChanges)]

/** True if a look-up of keys waits for its table. */
const isLooking = (tx: Db) =>
  tx.exists(sql.type(z.object({}))`
    select from pg_locks where relation = 'account.keys'::regclass and not granted`)

t.test('what begins while keys are looked up goes on, and ends once its own key is revoked', async (t) => {
  const { org } = await testOrg(db, ['push:send'], { keys: { a: key, b: key } })
  const [one, other] = (await keys.list(db, org.id)).map(({ id }) => id) as [string, string]
  const ended: string[] = []
  live.follow(one, () => ended.push(one))
  await db.transaction(async (tx) => {
    await tx.query(sql.unsafe`lock table account.keys in access exclusive mode`)
    await until(() => isLooking(tx), { what: 'keys are looked up' })
    live.follow(other, () => ended.push(other))
  })
  await keys.revoke(db, org.id, one)
  await until(async () => ended.length > 0, { what: 'the stream of the revoked key ends' })
  t.same(ended, [one])
})

t.test('a look-up during which its key changes is answered', async (t) => {
  const { org } = await testOrg(db, ['push:send'], { keys: { a: key, b: key } })
  const [one, other] = (await keys.list(db, org.id)).map(({ id }) => id) as [string, string]
  // The first look-up makes the process listen for changes.
  t.equal(await live.isLive(other), true)
  const [locked, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = db.transaction(async (tx) => {
    await tx.query(sql.unsafe`lock table account.keys in access exclusive mode`)
    locked.resolve()
    await heard.promise
  })
  await locked.promise
  const looking = live.isLive(one)
  await db.query(sql.unsafe`select pg_notify('account_keys_changed', ${one})`)
  await changes.caughtUp().finally(heard.resolve)
  await holding
  t.equal(await looking, true)
})
