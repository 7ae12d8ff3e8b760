import { z } from 'zod'
import { OutboundError } from '#lib/address-guard.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as watches from '#sql/trust/watches.ts'
import { task } from '../queue/task.ts'
import { emitMany } from '../webhooks/rules/emit.ts'
import { confirmPrefixes } from './confirm-hashes.ts'
import { FeedError } from './rules/feed-error.ts'
import { type Judgement, judgeAll } from './rules/judge.ts'
import { readUrl } from './rules/read-url.ts'
import type { Confirm } from './rules/sources.ts'

/** Watches that are judged together. */
const pageSize = 200

/** Judges every watched URL anew, and tells whoever watches one whose verdict is another. After each import, and as feeds become stale. */
export const watch = task({
  name: 'trust/watch',
  pool: 'web',
  payload: z.object({}),
  cron: '*/5 * * * *',
  timeout: 10 * 60_000,
  async run(_, tools) {
    const { db, own, signal } = tools
    // Each question to a keeper that is silent takes 4 s: enough of them, and the last watches never had their turn.
    const silent = new Set<string>()
    const confirm: Confirm = async (url, prefixes) => {
      if (silent.has(url)) return null
      try {
        return await confirmPrefixes(tools, url, prefixes)
      } catch (error) {
        if (!(error instanceof FeedError || error instanceof OutboundError)) throw error
        silent.add(url)
        return null
      }
    }
    let after: string | undefined
    do {
      signal.throwIfAborted()
      const page = await watches.page(db, after, pageSize)
      const changes = await changesOf({ db, confirm }, page)
      if (changes.length > 0) await own((tx) => tell(tx, page, changes))
      after = page.length < pageSize ? undefined : page.at(-1)?.id
    } while (after !== undefined)
  },
})

async function changesOf(tools: { db: DatabasePool; confirm: Confirm }, page: readonly watches.Swept[]) {
  const read = page.flatMap((watch) => {
    const readings = readUrl(watch.url)
    return readings ? [{ watch, readings }] : []
  })
  const judged = await judgeAll(
    tools,
    read.map(({ readings }) => readings),
  )
  return read.flatMap(({ watch }, i): watches.Change[] => {
    const now = judged[i]
    if (!now || !isNews(watch, now)) return []
    return [{ id: watch.id, before: watch.verdict, verdict: now.verdict, categories: now.categories }]
  })
}

const rank = (verdict: watches.Verdict) => watches.verdicts.indexOf(verdict)

/** A verdict is better only once every feed is fresh and can say so: that one did not answer says nothing of a URL. */
const isNews = (watch: watches.Swept, now: Judgement): boolean =>
  rank(now.verdict) > rank(watch.verdict) || (rank(now.verdict) < rank(watch.verdict) && !now.degraded)

async function tell(tx: Parameters<typeof emitMany>[0], page: readonly watches.Swept[], changes: watches.Change[]) {
  const changed = await watches.change(tx, changes)
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
