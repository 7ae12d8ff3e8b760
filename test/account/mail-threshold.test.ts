import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import * as alerts from '#sql/account/usage/budget-alerts.ts'
import { type Db, sql } from '#sql/db.ts'
import { mailThreshold } from '#tasks/account/mail-threshold.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const Nothing = sql.typeAlias('void')
const tools = {
  db,
  log,
  secret: 'a signing secret of the tests alone',
  own: <R>(work: (tx: Db) => Promise<R>) => db.transaction(work),
}

t.test('each owner is mailed of a threshold, however many members came after them', async (t) => {
  const { org } = await testOrg(db)
  const join = async (name: string, role: string, disabled = false) => {
    const id = newId()
    await db.query(Nothing`
      insert into account.users (id, email, name, disabled_at)
      values (${id}, ${`${name}@owner.example`}, ${name}, case when ${disabled} then now() end)`)
    await db.query(Nothing`
      insert into account.members (org_id, user_id, role) values (${org.id}, ${id}, ${role})`)
  }
  await join('founder', 'owner')
  await join('gone', 'owner', true)
  for (let n = 0; n < 149; n++) await join(`m${n}`, n === 148 ? 'owner' : 'developer')
  const starts_on = '2026-05-01'
  const reached = { org_id: org.id, metric: 'push.messages', period: 'month', starts_on, percent: 80 } as const
  await alerts.record(db, [{ ...reached, used: 8, limit: 10 }])
  const { org_id: orgId, starts_on: startsOn, ...rest } = reached
  await mailThreshold.run({ orgId, startsOn, ...rest }, tools as never)
  const sent = await db.anyFirst(sql.type(z.object({ to: z.string() }))`
    select to_email as "to" from email.messages order by to_email`)
  t.same(sent, ['founder@owner.example', 'm148@owner.example'])
})
