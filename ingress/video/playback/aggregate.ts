import type { Addition, ErrorCount } from '#sql/video/quality.ts'
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
    const sums = additions.get(asset_id) ?? nothing(asset_id)
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

const nothing = (asset_id: string) => ({
  asset_id,
  views: 0,
  failed_views: 0,
  starts: 0,
  startup: createHistogram(),
  errors: [] as ErrorCount[],
  play_ms: 0,
  rebuffer_ms: 0,
  rebuffers: 0,
  bits: 0,
  decoded: 0,
  dropped: 0,
  switches: 0,
})

const isFailed = ({ errors }: ViewCounters) => errors.some(({ fatal }) => fatal)

/** Returns how much a total has grown. Totals can only grow, so a smaller value from a player is ignored. */
const grown = (now: number, before = 0) => Math.max(0, now - before)

function addErrors(sums: ErrorCount[], now: readonly ErrorCount[], before: readonly ErrorCount[]): void {
  const same = (list: readonly ErrorCount[], { code, fatal }: ErrorCount) =>
    list.find((error) => error.code === code && error.fatal === fatal)
  for (const error of now) {
    const count = grown(error.count, same(before, error)?.count)
    const sum = same(sums, error)
    if (sum) sum.count += count
    else if (count > 0) sums.push({ code: error.code, fatal: error.fatal, count })
  }
}
