import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { describe } from '#lib/errors.ts'
import { sql } from '#sql/db.ts'
import { judge, type Outcome } from './claims.ts'
import { type Arena, eventually, type Fault, type FaultResult } from './fault.ts'
import { type LiveObservation, putOnAir } from './live.ts'
import { type Load, startLoad } from './load.ts'
import { awaitQuiet } from './quiet.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'
import * as video from './video.ts'

/** How rounds go; milliseconds where nothing else is said. */
export interface RoundSettings {
  /** Items a second. */
  rate: number
  /** How long a part stays away, and a worker frozen. */
  away: number
  freeze: number
  /** Items that are done before a fault strikes, and accepted after it. */
  around: number
  /** How long at most until all is quiet. */
  settle: number
  /** By how much recovery may exceed its limit, where the machine is known to be busy with more than this. */
  leeway: number
  /** The film that goes through in each round; none when undefined. */
  film: string | undefined
  /** Whether a channel is on the air while faults strike that no viewer may notice. */
  live: boolean
}

/** What one round has shown. */
export interface Row extends Outcome {
  number: number
  faults: readonly string[]
  repeated: number
  /** The longest recovery of its faults; none where one could not strike. */
  recovery: number | undefined
  /** What was seen on a live channel; undefined where there was none. */
  seen?: LiveObservation | undefined
  skipped?: string
}

/** Lets faults strike under load, all at once, and judges what has come of what was accepted meanwhile. */
export async function runRound(
  stage: Stage,
  number: number,
  faults: readonly Fault[],
  settings: RoundSettings,
  random: Random,
): Promise<Row> {
  const api = { base: stage.base, key: stage.key }
  const assetId = settings.film && (await video.send(api, settings.film))
  const load = startLoad(stage, number, settings.rate, random)
  const { away, freeze } = settings
  const arena: Arena = { stage, random, away, freeze, acceptedAt: () => load.told.acceptedAt }
  const broken: string[] = []
  let recovery = 0
  let seen: LiveObservation | undefined
  try {
    await eventually('the load had effects', async () => (await done(stage, number)) >= settings.around || undefined)
    const onAir = settings.live && faults.every(({ unseen }) => unseen) ? await putOnAir(stage) : undefined
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
  if (assetId) broken.push(...(await video.watch(api, assetId, settings.settle)))
  const unrest = await awaitQuiet(stage.db, settings.settle)
  const outcome = await judge(stage, number, load.told)
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

/** Of several faults each strikes at a moment of its own, and how soon one is over says nothing. */
async function strike(fault: Fault, arena: Arena, alone: boolean, leeway: number): Promise<FaultResult> {
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
  await eventually('more items were accepted', () => told.accepted.size >= before + more || undefined)
}

const done = (stage: Stage, round: number) =>
  stage.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from chaos.items where round = ${round} and state = 'done'`)
