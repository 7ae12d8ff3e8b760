import type { Addition, ErrorCount, PlaybackTotals } from '#sql/video/quality.ts'
import { countStart, createHistogram } from '#sql/video/startup.ts'
import type { Beacon, ViewCounters, ViewUpdate } from '#sql/video/views.ts'

export function newestOf(beacons: readonly Beacon[]): Beacon[] {
  const newest = new Map<string, Beacon>()
  for (const beacon of beacons) {
    const view = `${beacon.session_id}/${beacon.view_id}`
    const known = newest.get(view)
    if (!known || known.sequence < beacon.sequence) newest.set(view, beacon)
  }
  return [...newest.values()]
}

export function aggregate(taken: readonly ViewUpdate[]): Addition[] {
  const additions = new Map<string, Addition & { errors: ErrorCount[] }>()
  for (const { asset_id, counted, before } of taken) {
    const sums = additions.get(asset_id) ?? { asset_id, errors: [], ...emptyTotals() }
    additions.set(asset_id, sums)
    if (before === null) sums.views++
    if (isFailed(counted) && !(before && isFailed(before))) sums.failed_views++
    if (counted.startup_ms !== null && (before?.startup_ms ?? null) === null) {
      sums.starts++
      countStart(sums.startup, counted.startup_ms)
    }
    for (const field of fields) sums[field] += grown(counted[field], before?.[field])
    addErrors(sums.errors, counted.errors, before?.errors ?? [])
  }
  return [...additions.values()]
}

const fields = ['play_ms', 'rebuffer_ms', 'rebuffers', 'bits', 'decoded', 'dropped', 'switches'] as const

export const emptyTotals = (): PlaybackTotals => ({
  views: 0,
  failed_views: 0,
  starts: 0,
  startup: createHistogram(),
  play_ms: 0,
  rebuffer_ms: 0,
  rebuffers: 0,
  bits: 0,
  decoded: 0,
  dropped: 0,
  switches: 0,
})

export const isFailed = ({ errors }: ViewCounters) => errors.some(({ fatal }) => fatal)

/** Returns how much a total has grown. Totals can only grow, so a smaller value from a player is ignored. */
export const grown = (now: number, before = 0) => Math.max(0, now - before)

const same = (list: readonly ErrorCount[], { code, fatal }: ErrorCount) =>
  list.find((error) => error.code === code && error.fatal === fatal)

/** Returns the errors of a view since its previous beacon, one entry per kind. */
export function newErrors(now: readonly ErrorCount[], before: readonly ErrorCount[]): ErrorCount[] {
  const kinds = new Map(now.map((error) => [`${error.code} ${error.fatal}`, error]))
  return [...kinds.values()].flatMap(({ code, fatal, count }) => {
    const more = grown(count, same(before, { code, fatal, count })?.count)
    return more > 0 ? [{ code, fatal, count: more }] : []
  })
}

function addErrors(sums: ErrorCount[], now: readonly ErrorCount[], before: readonly ErrorCount[]): void {
  for (const error of newErrors(now, before)) {
    const sum = same(sums, error)
    if (sum) sum.count += error.count
    else sums.push(error)
  }
}
