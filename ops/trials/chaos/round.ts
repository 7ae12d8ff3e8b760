import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { describe } from '#lib/errors.ts'
import { sql } from '#sql/db.ts'
import { checkClaims, type Outcome } from './claims.ts'
import { type Fault, type FaultContext, type FaultResult, waitUntil } from './fault.ts'
import { type LiveObservation, startBroadcast } from './live.ts'
import { type Load, startLoad } from './load.ts'
import { waitUntilIdle } from './quiet.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'
import * as video from './video.ts'

/** Settings of a round. Times are in milliseconds. */
export interface RoundSettings {
  rate: number
  /** Duration in milliseconds that a process is down, and that a worker is frozen. */
  away: number
  freeze: number
  /** Number of items to finish before a fault, and to accept after it. */
  around: number
  settle: number
  /** Additional time for recovery on machines with other load. */
  leeway: number
  film: string | undefined
  live: boolean
}

export interface Row extends Outcome {
  number: number
  faults: readonly string[]
  repeated: number
  /** Longest recovery of the round's faults. `undefined` if a fault could not be caused. */
  recovery: number | undefined
  /** Observations on a live channel. `undefined` if there is no live channel. */
  seen?: LiveObservation | undefined
  skipped?: string
}

export async function runRound(
  stage: Stage,
  number: number,
  faults: readonly Fault[],
  settings: RoundSettings,
  random: Random,
): Promise<Row> {
  const api = { base: stage.base, key: stage.key }
  const assetId = settings.film && (await video.uploadVideo(api, settings.film))
  const load = startLoad(stage, number, settings.rate, random)
  const { away, freeze } = settings
  const arena: FaultContext = { stage, random, away, freeze, acceptedAt: () => load.told.acceptedAt }
  const broken: string[] = []
  let recovery = 0
  let seen: LiveObservation | undefined
  try {
    await waitUntil('the load has effects', async () => (await done(stage, number)) >= settings.around || undefined)
    const onAir = settings.live && faults.every(({ unseen }) => unseen) ? await startBroadcast(stage) : undefined
    onAir?.calm()
    const results = await Promise.all(faults.map((fault) => strike(fault, arena, faults.length === 1, settings.leeway)))
    recovery = Math.max(...results.map((one) => one.recovery))
    broken.push(...results.flatMap((one) => one.broken))
    seen = await onAir?.end(results.some(({ outlasted }) => outlasted))
    broken.push(...(seen?.broken ?? []))
    await settleDown(load, settings.around)
  } finally {
    await load.stop()
  }
  if (assetId) broken.push(...(await video.checkPlayback(api, assetId, settings.settle)))
  const unrest = await waitUntilIdle(stage.db, settings.settle)
  const outcome = await checkClaims(stage, number, load.told)
  return {
    ...outcome,
    broken: [...new Set([...broken, ...unrest, ...outcome.broken])],
    number,
    faults: faults.map(({ name }) => name),
    repeated: load.told.repeated,
    recovery,
    seen,
  }
}

/** In a round with several faults, each starts at a different time, and its duration is not checked. */
async function strike(fault: Fault, arena: FaultContext, alone: boolean, leeway: number): Promise<FaultResult> {
  if (!alone) await pause(arena.random.below(2_000))
  try {
    const { recovery, broken, outlasted = false } = await fault.strike(arena)
    const limit = (alone && fault.limit?.(arena.stage)) || Number.POSITIVE_INFINITY
    const late = recovery > limit * leeway
    return { recovery, outlasted, broken: late ? [...broken, `recovery took more than ${limit / 1000} s`] : broken }
  } catch (error) {
    return { recovery: 0, broken: [`${fault.name}: ${describe(error)}`] }
  }
}

async function settleDown({ told }: Load, more: number): Promise<void> {
  const before = told.accepted.size
  await waitUntil('more items are accepted', () => told.accepted.size >= before + more || undefined)
}

const done = (stage: Stage, round: number) =>
  stage.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from chaos.items where round = ${round} and state = 'done'`)
