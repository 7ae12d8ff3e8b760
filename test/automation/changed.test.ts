import './stack.ts'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { performRuns, prepareRuns } from '#tasks/automation/rules/perform-runs.ts'
import { automating, automationWorker, jobsOf } from './stack.ts'

t.setTimeout(240_000)
const { db, databaseUrl, owner } = await automating(t)

const waiting = async (orgId: string): Promise<readonly string[]> =>
  await db.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from automation.runs where org_id = ${orgId} and status = 'waiting'`)

t.test('a rule that is deleted while its run is prepared performs nothing', async (t) => {
  const one = await owner()
  const { body: rule } = await one.rule({ event: 'files.object.clean' })
  await one.emit('files.object.clean')
  const prepared = await prepareRuns(db, await waiting(one.orgId))
  t.equal((await one.ask(`DELETE /v1/automation/rules/${rule.id}`)).status, 200)
  await db.transaction((tx) => performRuns(tx, prepared))
  t.same(await jobsOf(db, one.orgId), [])
  await automationWorker(t, databaseUrl)
  t.match(await one.runs(1), [{ status: 'failed', error: { code: 'rule_deleted' } }])
})
