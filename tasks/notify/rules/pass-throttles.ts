import type { Db } from '#sql/db.ts'
import * as throttles from '#sql/notify/throttles.ts'
import { toKeyText } from './key-text.ts'
import type { ThrottleCheck } from './walk.ts'

/**
 * Counts runs that have reached a `throttle` step. Returns for each run, in order, whether it can continue. Runs of the
 * same person are counted one after another, in all workers.
 */
export async function passThrottles(tx: Db, checks: readonly ThrottleCheck[], now: Date): Promise<readonly boolean[]> {
  const keys = new Map(checks.map((check) => [nameOf(keyOf(check)), keyOf(check)]))
  const locked = new Map((await throttles.lockMany(tx, [...keys.values()])).map((one) => [nameOf(one), one]))
  const passed = checks.map((check) => {
    const { runs, minutes } = check.step
    const found = locked.get(nameOf(keyOf(check))) as throttles.Throttle
    const since = now.getTime() - minutes * 60_000
    found.passed = found.passed.filter((at) => at > since)
    const hasPassed = found.passed.length < runs
    if (hasPassed) found.passed.push(now.getTime())
    return hasPassed
  })
  await throttles.saveMany(tx, [...locked.values()])
  return passed
}

const keyOf = ({ run: { workflow_id, user_id, org_id, step }, key }: ThrottleCheck): throttles.ThrottleKey => ({
  ...{ workflow_id, user_id, org_id, number: step, key: toKeyText(key) },
})

const nameOf = ({ workflow_id, user_id, number, key }: throttles.ThrottleKey) =>
  JSON.stringify([workflow_id, user_id, number, key])
