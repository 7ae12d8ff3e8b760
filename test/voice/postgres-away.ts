import '../support/voice-environment.ts'
import type { Test } from 'tap'
import { config } from '#lib/config.ts'
import { sql } from '#sql/db.ts'
import { createCallRecords } from '#tasks/voice/rules/call-records.ts'
import { openSwitchboard } from '../../workers/voice/switchboard.ts'
import { awayPostgres } from '../support/away-postgres.ts'
import { leaseholder } from '../support/leaseholder.ts'
import { phone, trunksTo, voiceStack } from './stack.ts'

/** Stops Postgres for some seconds under a call that goes on and one that ends meanwhile. */
export async function callGoesOn(t: Test, seconds: number): Promise<void> {
  const { url, db, pool, away } = await awayPostgres(t)
  const stack = await voiceStack(t, { url, db })
  const [a, b] = await Promise.all([phone(t, 'a', { calls: 2 }), phone(t, 'b', { calls: 2 })])
  const switchboard = await openSwitchboard({
    records: createCallRecords(await pool(), await leaseholder(db, 'voice')),
    trunks: trunksTo(a.port, b.port),
    host: '127.0.0.1',
    port: 0,
    publicAddress: '127.0.0.1',
    capacity: 500,
    callsPerSecond: 100,
    lookMs: 100,
    checkMs: 0,
    leaseMs: config.LEASE_MS,
  })
  t.teardown(() => switchboard.close())
  const dial = async () => {
    const id = await stack.call()
    await switchboard.dial(id, new AbortController().signal)
    await stack.reaches(id, 'in_progress')
    return id
  }
  const long = await dial()
  const short = await stack.call()
  await db.query(sql.typeAlias('void')`update voice.calls set max_duration_seconds = 3 where id = ${short}`)
  await switchboard.dial(short, new AbortController().signal)
  await stack.reaches(short, 'in_progress')
  await away(seconds)
  t.match(await stack.reaches(short), { status: 'completed', reason: 'max_duration', ended_by: 'limit' })
  t.match(await stack.reaches(long, 'in_progress'), { status: 'in_progress', ended_at: null })
  t.equal(switchboard.active(), 1)
  t.match(await stack.ask(`DELETE /v1/voice/calls/${long}`), { status: 200 })
  t.match(await stack.reaches(long), { status: 'completed', reason: 'hung_up', ended_by: 'api' })
  for (const one of [a, b]) t.equal(await one.ended, 0, one.errors())
}
