import type { DatabasePool, Db } from '#sql/db.ts'
import * as watches from '#sql/trust/watches.ts'
import type { Tools } from '../../pools.ts'
import type { Attempt } from '../../queue/task.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { checkAll, type Judgement } from './judge.ts'
import { createProviderQueries } from './keepers.ts'
import { readUrls } from './read-url.ts'
import type { Confirm } from './sources.ts'

const pageSize = 200

type SweepTools = Pick<Attempt, 'db' | 'own' | 'signal'> & Pick<Tools['web'], 'outbound'>

/**
 * Checks all watched URLs after an ID and notifies organisations of changed verdicts. Returns the ID after which others
 * are left when `mostMs` milliseconds have passed. Undefined if none are left.
 */
export async function sweepWatches(
  tools: SweepTools,
  { after, mostMs }: { after: string | undefined; mostMs: number },
): Promise<string | undefined> {
  const ends = performance.now() + mostMs
  const confirmFor = createProviderQueries(tools)
  let last = after
  do {
    tools.signal.throwIfAborted()
    const page = await watches.listPage(tools.db, last, pageSize)
    const changes: watches.VerdictChange[] = []
    // Each organisation separately, so that one organisation does not use the queries of others.
    for (const [orgId, own] of Map.groupBy(page, ({ org_id }) => org_id)) {
      changes.push(...(await changesOf({ db: tools.db, confirm: confirmFor(orgId) }, own)))
    }
    if (changes.length > 0) await tools.own((tx) => tell(tx, page, changes))
    if (page.length < pageSize) return
    last = page.at(-1)?.id
  } while (performance.now() < ends)
  return last
}

async function changesOf(tools: { db: DatabasePool; confirm: Confirm }, swept: readonly watches.Swept[]) {
  const readings = await readUrls(swept.map(({ url }) => url))
  const read = swept.flatMap((watch, i) => {
    const own = readings[i]
    return own ? [{ watch, own }] : []
  })
  const judged = await checkAll(
    tools,
    read.map(({ own }) => own),
  )
  return read.flatMap(({ watch }, i): watches.VerdictChange[] => {
    const now = judged[i]
    if (!now || !isNews(watch, now)) return []
    return [{ id: watch.id, before: watch.verdict, verdict: now.verdict, categories: now.categories }]
  })
}

const rank = (verdict: watches.Verdict) => watches.verdicts.indexOf(verdict)

/**
 * A verdict improves only if every feed is current and could be checked. A missing response says nothing about a URL.
 */
const isNews = (watch: watches.Swept, now: Judgement): boolean =>
  rank(now.verdict) > rank(watch.verdict) || (rank(now.verdict) < rank(watch.verdict) && !now.degraded)

async function tell(tx: Db, page: readonly watches.Swept[], changes: watches.VerdictChange[]) {
  const changed = await watches.saveChanges(tx, changes)
  const byId = new Map(page.map((watch) => [watch.id, watch]))
  await emitMany(
    tx,
    changes.flatMap(({ id, before, verdict, categories }) => {
      const watch = byId.get(id)
      if (!watch || !changed.has(id)) return []
      const data = { id, url: watch.url, verdict, before, categories }
      return [{ orgId: watch.org_id, type: 'trust.watch.changed' as const, data }]
    }),
  )
}
