import { createHmac } from 'node:crypto'
import type { Db } from '#sql/db.ts'
import * as daySecrets from '#sql/directory/day-secrets.ts'
import * as audience from '#sql/video/audience.ts'
import type { ViewCounters, ViewUpdate } from '#sql/video/views.ts'
import { getClientNetwork } from '../../http/limits/buckets.ts'
import { grown, isFailed, newErrors } from './aggregate.ts'

/** Facts about the sender of a beacon. The IP address is not stored. */
export interface Sender {
  ip: string
  agent: string
}

const noCounters: audience.Counters = { plays: 0, viewers: 0, failed_plays: 0, errors: 0, play_ms: 0, measured: 0 }

interface Change {
  update: ViewUpdate
  orgId: string
  counters: audience.Counters
  tenths: number[]
  viewer: Omit<audience.Viewer, 'scope_id'> | undefined
}

/** Adds the changes of views to the day of their assets and organisations. Views of bots must not be in the list. */
export async function countAudience(
  tx: Db,
  updates: readonly ViewUpdate[],
  senderOf: (view: ViewUpdate) => Sender | undefined,
): Promise<void> {
  if (updates.length === 0) return
  const owners = await audience.listOwners(tx, [...new Set(updates.map(({ asset_id }) => asset_id))])
  const { day, secret } = await daySecrets.getTodaysSecret(tx)
  const changes = updates.flatMap((update) => {
    const orgId = owners.get(update.asset_id)
    const sender = senderOf(update)
    return orgId && sender ? [changeOf(update, orgId, sender, secret)] : []
  })
  const fresh = await storeViewers(tx, day, changes)
  const named = await namedPages(tx, changes)
  const assets = new Map<string, audience.Addition>()
  const orgs = new Map<string, audience.OrgAddition>()
  for (const change of changes) {
    const { orgId: org_id, update } = change
    const { asset_id } = update
    for (const [dimension, value, counters] of slicesOf(change, named(asset_id, update.page), fresh(change, asset_id)))
      plus(assets, `${asset_id} ${dimension} ${value}`, { asset_id, org_id, dimension, value, ...counters })
    for (const [dimension, value, counters] of slicesOf(change, named(org_id, update.page), fresh(change, org_id)))
      plus(orgs, `${org_id} ${dimension} ${value}`, { org_id, dimension, value, ...counters })
  }
  if (assets.size > 0) await audience.add(tx, { assets: [...assets.values()], orgs: [...orgs.values()] })
}

function changeOf(update: ViewUpdate, orgId: string, sender: Sender, secret: string): Change {
  const { counted, before } = update
  const begins = hasStarted(counted) && !(before && hasStarted(before))
  const errors = newErrors(counted.errors, before?.errors ?? [])
  const reached = (counted.reached ?? 0) & ~(before?.reached ?? 0)
  // The hash contains the organisation, so that two organisations cannot compare their viewers.
  const hash = (...parts: string[]) =>
    createHmac('sha256', secret)
      .update(['audience', orgId, ...parts].join('\n'))
      .digest('base64url')
      .slice(0, 16)
  const network = getClientNetwork(sender.ip)
  return {
    update,
    orgId,
    counters: {
      ...noCounters,
      plays: begins ? 1 : 0,
      failed_plays: isFailed(counted) && !(before && isFailed(before)) ? 1 : 0,
      errors: errors.reduce((sum, { count }) => sum + count, 0),
      play_ms: grown(counted.play_ms, before?.play_ms),
      measured: counted.reached && !before?.reached ? 1 : 0,
    },
    tenths: Array.from({ length: 10 }, (_, tenth) => (reached >> tenth) & 1),
    viewer: begins ? { org_id: orgId, network: hash(network), viewer: hash(network, sender.agent) } : undefined,
  }
}

const hasStarted = ({ startup_ms }: ViewCounters) => startup_ms !== null

type Counted = audience.Counters & { tenths: number[] }

/** Splits a change by the properties of its viewer. A slice without a change is omitted. */
function slicesOf(change: Change, page: string, isNew: boolean): [audience.Dimension, string, Counted][] {
  const { update, counters, tenths } = change
  const counted = { ...counters, viewers: isNew ? 1 : 0, tenths }
  const errors = newErrors(update.counted.errors, update.before?.errors ?? [])
  const isEmpty = Object.values(counted).every((value) => value === 0 || (Array.isArray(value) && !value.includes(1)))
  const none = { ...noCounters, tenths: tenths.map(() => 0) }
  return [
    ...(isEmpty
      ? []
      : ([
          ['all', '', counted],
          ['country', update.country ?? unknown, counted],
          ['device', update.device ?? unknown, counted],
          ['browser', update.browser ?? unknown, counted],
          ['page', page, counted],
        ] as [audience.Dimension, string, Counted][])),
    ...errors.map(({ code, fatal, count }): [audience.Dimension, string, Counted] => [
      'error',
      code,
      { ...none, errors: count, failed_plays: fatal ? 1 : 0 },
    ]),
  ]
}

const unknown = 'unknown'

function plus<Sum extends Counted>(sums: Map<string, Sum>, key: string, more: Sum): void {
  const sum = sums.get(key)
  if (!sum) return void sums.set(key, more)
  for (const name of Object.keys(noCounters) as (keyof audience.Counters)[]) sum[name] += more[name]
  sum.tenths = sum.tenths.map((count, tenth) => count + (more.tenths[tenth] ?? 0))
}

/** Stores the viewers of started plays. Returns a function that is true once per new viewer of an asset or organisation. */
async function storeViewers(tx: Db, day: string, changes: readonly Change[]) {
  const rows = changes.flatMap(({ viewer, orgId, update: { asset_id } }) =>
    viewer ? [asset_id, orgId].map((scope_id) => ({ ...viewer, scope_id })) : [],
  )
  const stored = rows.length > 0 ? await audience.storeViewers(tx, day, rows) : []
  const fresh = new Set(stored.map(({ scope_id, viewer }) => `${scope_id} ${viewer}`))
  return ({ viewer }: Change, scopeId: string) => viewer !== undefined && fresh.delete(`${scopeId} ${viewer.viewer}`)
}

/** Returns a function that replaces pages beyond the limit of a day by `other`. */
async function namedPages(tx: Db, changes: readonly Change[]) {
  const pagesOf = (idOf: (change: Change) => string) =>
    changes.flatMap((change) => (change.update.page ? [{ id: idOf(change), page: change.update.page }] : []))
  const pages = { asset: pagesOf(({ update }) => update.asset_id), org: pagesOf(({ orgId }) => orgId) }
  const named = pages.org.length > 0 ? await audience.listNamedPages(tx, pages) : []
  const known = new Set(named.map(({ id, page }) => `${id} ${page}`))
  return (id: string, page: string | null) => (page === null ? unknown : known.has(`${id} ${page}`) ? page : 'other')
}
