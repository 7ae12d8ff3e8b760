import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { say } from '../../start/terminal.ts'
import { Actor } from '../chaos/actor.ts'
import { checkClaims, type Outcome } from '../chaos/claims.ts'
import { type Fault, type FaultContext, waitUntil } from '../chaos/fault.ts'
import { startLoad } from '../chaos/load.ts'
import { canMount } from '../chaos/parts.ts'
import { waitUntilIdle } from '../chaos/quiet.ts'
import type { Random } from '../chaos/random.ts'
import { type Stage, startStage } from '../chaos/stage.ts'
import { stopEarly } from '../stop-early.ts'
import { createSoakEnvironment, type MeasurementAccess, steadyIngress } from './ground.ts'
import { type AreaTally, startMix } from './mix.ts'
import { type Sample, type Sampler, startSampler, type TableSample } from './sampler.ts'
import { type CheckedSeries, checkTrends } from './verdict.ts'
import { prepareMix } from './visits.ts'

/** Settings of a soak test. Times are in milliseconds unless named otherwise. */
export interface SoakSettings {
  minutes: number
  /** Items per second. `undefined` for half of the rate that is measured at the start. */
  rate: number | undefined
  faults: readonly Fault[]
  faultEvery: number
  /**
   * Duration of the warm-up in seconds. A run of less than twice this duration shows trends but does not check them.
   */
  warm: number
  sampleEvery: number
  tablesEvery: number
  workers: number
  lease: number
  sweep: number
  away: number
  settle: number
  random: Random
}

export interface Strike {
  name: string
  from: number
  to: number
  broken: string[]
}

export interface SoakReport {
  begunAt: string
  minutes: number
  rate: number
  warm: number
  samples: Sample[]
  tables: TableSample[]
  strikes: Strike[]
  areas: Record<string, AreaTally>
  trends: CheckedSeries[]
  ledger: Outcome
  broken: string[]
}

/**
 * Period in seconds after a fault in which a visit may have no effect, because its requests are repeated after the
 * fault.
 */
const afterFault = 75

const measureMs = 15_000

/**
 * Maximum duration in seconds of load that may wait as jobs. While more load waits, clients send an eighth, as on a
 * machine with other load.
 */
const mostBehind = 20

/** Starts a platform, runs it at half of its capacity during faults, and checks its resource use. */
export async function soak(settings: SoakSettings): Promise<SoakReport> {
  await using ends = new AsyncDisposableStack()
  stopEarly(ends)
  let keep = false
  const { ground, found } = await createSoakEnvironment(settings.workers)
  const stage = await startStage({ ...settings, smallDisks: await canMount(), ground }, ends, () => keep)
  const steady = await raiseSteady(stage, found(), ends)
  const over = new AbortController()
  ends.defer(() => over.abort())
  const mix = await prepareMix(stage, found(), steady.base, over.signal)
  const rate = settings.rate ?? (await halfOfCapacity(stage, settings))
  say('soak', `${rate} items per second and ${visitsOf(rate)} visits, for ${settings.minutes} minutes`)
  const report = await endure(stage, { ...settings, rate }, steady.actor, found(), mix)
  keep = report.broken.length > 0
  if (keep) say('soak', `logs and data are in ${stage.folder}`)
  return report
}

const visitsOf = (rate: number) => Math.max(1, Math.round(rate / 20))

async function raiseSteady(stage: Stage, found: MeasurementAccess, ends: AsyncDisposableStack) {
  const { part, base, log } = await steadyIngress(stage.ingress, stage.folder, found)
  const actor = new Actor(part, log)
  ends.defer(() => actor.stop())
  await actor.ready
  // No fault affects this worker, so that one process of each kind runs the whole time.
  const spared = stage.workers.at(-1)
  if (spared) spared.taken = true
  return { actor, base }
}

/** Returns half of the items per second that finish while all clients send as fast as possible. */
async function halfOfCapacity(stage: Stage, { random, settle }: SoakSettings): Promise<number> {
  const begun = performance.now()
  const load = startLoad(stage, 0, 10_000, random)
  await pause(measureMs)
  await load.stop()
  await waitUntilIdle(stage.db, settle)
  const each = load.told.accepted.size / ((performance.now() - begun) / 1000)
  say('soak', `capacity: ${Math.round(each)} items per second from the request to the end of the job`)
  return Math.max(1, Math.round(each / 2))
}

async function endure(
  stage: Stage,
  settings: SoakSettings & { rate: number },
  steady: Actor,
  found: MeasurementAccess,
  mix: Awaited<ReturnType<typeof prepareMix>>,
): Promise<SoakReport> {
  const { rate, random, warm } = settings
  const begunAt = new Date().toISOString()
  const begun = performance.now()
  const strikes: Strike[] = []
  const seconds = (at = performance.now()) => (at - begun) / 1000
  const struck = (since: number) =>
    strikes.some(({ from, to }) => from <= seconds() && Math.min(to, seconds()) + afterFault >= seconds(since))
  let sampler: Sampler | undefined
  const behind = () => (sampler?.samples.at(-1)?.database?.waiting ?? 0) > rate * mostBehind
  const load = startLoad(stage, 1, () => (behind() ? rate / 8 : rate), random)
  const visits = startMix(mix, { perSecond: visitsOf(rate), random, struck })
  const failed = () => Object.values(visits.areas).reduce((sum, area) => sum + area.excused + area.failed, 0)
  sampler = startSampler(
    {
      actors: [stage.ingress, steady, ...stage.workers, stage.store, ...(stage.postgres ? [stage.postgres] : [])],
      postgres: stage.postgres,
      superuser: found.superuser,
      metrics: found.metrics,
      counts: () => ({ repeated: load.told.repeated, failed: failed() }),
    },
    { every: settings.sampleEvery, tablesEvery: settings.tablesEvery },
  )
  const end = begun + settings.minutes * 60_000
  await strikeUntil(stage, settings, end, strikes, seconds, () => load.told.acceptedAt)
  await sampler.stop()
  say('soak', 'the time has ended; waiting for accepted items to finish')
  await Promise.all([load.stop(), visits.stop()])
  const unrest = await waitUntilIdle(stage.db, settings.settle)
  const ledger = await checkClaims(stage, 1, load.told)
  const trends = checkTrends(sampler.samples, sampler.tables, warm)
  const broken = [
    ...strikes.flatMap(({ name, broken }) => broken.map((claim) => `${name}: ${claim}`)),
    ...visits.failures,
    ...unrest,
    ...ledger.broken,
    ...(settings.minutes * 60 >= 2 * warm ? rising(trends) : []),
  ]
  const { samples, tables } = sampler
  const facts = { begunAt, minutes: settings.minutes, rate, warm }
  return { ...facts, samples, tables, strikes, areas: visits.areas, trends, ledger, broken }
}

const rising = (trends: readonly CheckedSeries[]) =>
  trends.filter(({ rises }) => rises).map(({ of, measure }) => `${of}: ${measure} rises`)

/** Causes faults until the end. Each occurs once before any occurs twice. */
async function strikeUntil(
  stage: Stage,
  { faults, faultEvery, away, lease, random }: SoakSettings,
  end: number,
  strikes: Strike[],
  seconds: () => number,
  acceptedAt: () => number,
): Promise<void> {
  const possible = faults.filter(({ impossible }) => !impossible?.(stage))
  const arena: FaultContext = { stage, random, away, freeze: lease * 1.5, acceptedAt }
  await waitUntil('an item is accepted', () => acceptedAt() > 0 || undefined)
  const begun = performance.now()
  let order: Fault[] = []
  for (;;) {
    const next = performance.now() + faultEvery
    await pause(Math.max(0, Math.min(next, end) - performance.now()))
    if (performance.now() >= end - faultEvery / 2) break
    if (order.length === 0) order = random.shuffled(possible)
    // Postgres must also run long, so it is restarted only in the first half.
    const late = performance.now() > end - (end - begun) / 2
    const left = order.filter(({ name }) => !(late && name.startsWith('postgres-')))
    const fault = left[0]
    order = left.slice(1)
    if (fault) await strikeOnce(fault, arena, strikes, seconds)
  }
  await pause(Math.max(0, end - performance.now()))
}

async function strikeOnce(fault: Fault, arena: FaultContext, strikes: Strike[], seconds: () => number): Promise<void> {
  say('soak', `${Math.round(seconds())} s: ${fault.what}`)
  const strike: Strike = { name: fault.name, from: seconds(), to: Number.POSITIVE_INFINITY, broken: [] }
  strikes.push(strike)
  try {
    strike.broken = (await fault.strike(arena)).broken
  } catch (error) {
    strike.broken = [describe(error)]
  }
  strike.to = seconds()
}
