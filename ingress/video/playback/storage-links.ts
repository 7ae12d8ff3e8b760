import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import type { Storage } from '#lib/storage/storage.ts'

/**
 * Time to live of a redirect's URL in seconds. It is long enough for a slow connection to start reading, and too short
 * to replace a token.
 */
const redirectSeconds = 120

/**
 * Time in milliseconds in which all redirects to an object have the same URL. Caches in front of the store then contain
 * one object instead of thousands.
 */
const shareMs = 30_000

/**
 * Signed URLs by object and half minute. An object with many viewers is signed only once, which saves 0.08 ms of CPU
 * time each.
 */
const links = new LRUCache<string, string>({ max: 5_000, ttl: shareMs })

export async function redirect(ctx: Context, storage: Storage, key: string): Promise<void> {
  const from = new Date(Math.floor(Date.now() / shareMs) * shareMs)
  const name = `${storage.publicOrigin}/${storage.bucket}/${key}@${from.getTime()}`
  const link = links.get(name) ?? (await storage.signGet(key, redirectSeconds, from))
  links.set(name, link)
  ctx.status = 302
  ctx.set('location', link)
}
