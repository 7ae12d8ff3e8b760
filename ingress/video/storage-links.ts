import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import type { Storage } from '#lib/storage/storage.ts'

/** Seconds a redirect to storage works; long enough for a slow line to begin reading, short enough to be no second token. */
const redirectSeconds = 120

/** Redirects of one half minute share their URL, so that caches before the store see one object and not thousands. */
const shareMs = 30_000

/** Signed addresses by object and half minute, so that what many viewers fetch is signed once: 0.08 ms of CPU each. */
const links = new LRUCache<string, string>({ max: 5_000, ttl: shareMs })

/** Answers with a redirect to an object in storage that works for a short while. */
export async function redirect(ctx: Context, storage: Storage, key: string): Promise<void> {
  const from = new Date(Math.floor(Date.now() / shareMs) * shareMs)
  const name = `${storage.publicOrigin}/${storage.bucket}/${key}@${from.getTime()}`
  const link = links.get(name) ?? (await storage.signGet(key, redirectSeconds, from))
  links.set(name, link)
  ctx.status = 302
  ctx.set('location', link)
}
