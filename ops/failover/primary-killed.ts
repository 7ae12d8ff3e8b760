import { type Fault, nextAccepted, nextEffect } from '../chaos/fault.ts'
import { say } from '../start/terminal.ts'
import type { Pair } from './pair.ts'

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`

/** `kill -9` of all of the primary's processes, and the promotion of its standby. */
export const primaryKilled = (pairOf: () => Pair): Fault => ({
  name: 'primary-killed',
  what: 'kill -9 of the primary, promotion of its standby',
  async strike(arena) {
    const pair = pairOf()
    const begun = performance.now()
    await pair.killPrimary()
    await pair.promote()
    const promoted = performance.now() - begun
    const since = () => performance.now() - begun
    const [accepted, effect] = await Promise.all([nextAccepted(arena).then(since), nextEffect(arena).then(since)])
    say(
      'failover',
      `promoted after ${seconds(promoted)}, accepts after ${seconds(accepted)}, works after ${seconds(effect)}`,
    )
    await pair.restore()
    return { recovery: Math.max(accepted, effect), broken: [] }
  },
})
