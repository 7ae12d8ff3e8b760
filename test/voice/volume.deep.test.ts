import '../support/voice-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import * as rules from '#sql/voice/rules.ts'
import { until } from '../support/until.ts'
import { phone, startSip, trunksTo, voiceStack } from './stack.ts'

t.setTimeout(240_000)
const [calls, aSecond] = [300, 30]

t.test(
  `${calls} of ${calls} calls at ${aSecond} a second are connected and hung up, and none is left up`,
  async (t) => {
    const { db, databaseUrl, orgId, call } = await voiceStack(t)
    await rules.set(db, { org_id: orgId, key_id: null, max_concurrent: calls, max_per_day: calls })
    const [a, b] = await Promise.all([phone(t, 'a', { calls, seconds: 115 }), phone(t, 'b', { calls, seconds: 115 })])
    const asked = await Promise.all(Array.from({ length: calls }, () => call({ max_duration_seconds: 1 })))
    t.equal(new Set(asked).size, calls)
    const begun = performance.now()
    await startSip(t, databaseUrl, db, trunksTo(a.port, b.port), { callsPerSecond: aSecond })
    const ended = sql.typeAlias('count')`select count(*) from voice.calls where ended_at is not null`
    await until(async () => (await db.oneFirst(ended)) === calls, { timeout: 90_000, what: 'all calls are over' })
    const seconds = (performance.now() - begun) / 1000
    const Outcome = z.object({ status: z.string(), reason: z.string(), calls: z.number() })
    const outcomes = await db.any(sql.type(Outcome)`
    select status, reason, count(*) as calls from voice.calls group by status, reason`)
    t.same(outcomes, [{ status: 'completed', reason: 'max_duration', calls }])
    t.equal(await a.ended, 0, a.errors())
    t.equal(await b.ended, 0, b.errors())
    t.comment(`${calls} calls of 1 s in ${seconds.toFixed(1)} s`)
  },
)
