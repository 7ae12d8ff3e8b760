import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import type { Random } from '../chaos/random.ts'
import type { Mix } from './visits.ts'

export interface AreaTally {
  done: number
  /** Visits without an effect during a fault or shortly after one. */
  excused: number
  failed: number
}

export interface MixLoad {
  readonly areas: Record<string, AreaTally>
  /** Reasons of the first failures that no fault excuses. */
  readonly failures: string[]
  stop(): Promise<void>
}

const lanes = 4

const mostFailures = 20

/** Number of tries, a second apart, if a response asks to retry. */
const tries = 5

const isBusy = (error: unknown) => /\b503\b|temporarily unavailable/.test(describe(error))

async function untilServed(run: () => Promise<void>): Promise<void> {
  for (let left = tries; ; left--) {
    try {
      return await run()
    } catch (error) {
      if (left === 1 || !isBusy(error)) throw error
      await pause(1_000)
    }
  }
}

/**
 * Starts `perSecond` visits per second. A failed visit is excused if `struck` returns true for the time since its
 * start.
 */
export function startMix(
  { visits, errands }: Mix,
  { perSecond, random, struck }: { perSecond: number; random: Random; struck: (since: number) => boolean },
): MixLoad {
  const areas: Record<string, AreaTally> = {}
  const failures: string[] = []
  const over = new AbortController()
  const weighted = visits.flatMap((visit) => Array<typeof visit>(visit.weight).fill(visit))

  async function take({ area, run }: { area: string; run(): Promise<void> }): Promise<void> {
    areas[area] ??= { done: 0, excused: 0, failed: 0 }
    const tally = areas[area]
    const begun = performance.now()
    try {
      await untilServed(run)
      tally.done++
    } catch (error) {
      if (struck(begun)) tally.excused++
      else {
        tally.failed++
        if (failures.length < mostFailures) failures.push(`${area}: ${describe(error)}`)
      }
    }
  }

  async function keepOn(next: () => Parameters<typeof take>[0], everyMs: number): Promise<void> {
    while (!over.signal.aborted) {
      const begun = performance.now()
      await take(next())
      const left = Math.max(0, everyMs - (performance.now() - begun))
      await pause(left, undefined, { signal: over.signal }).catch(() => {})
    }
  }

  const running = [
    ...Array.from({ length: lanes }, () => keepOn(() => random.pick(weighted), (1000 * lanes) / perSecond)),
    ...errands.map((errand) => keepOn(() => errand, errand.every * 1000)),
  ]
  return {
    areas,
    failures,
    async stop() {
      over.abort()
      await Promise.all(running)
    },
  }
}
