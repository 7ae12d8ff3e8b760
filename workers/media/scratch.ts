import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { runOnlyOnce } from '#lib/once-only.ts'
import { SingleFlight } from '#lib/single-flight.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Scratch } from '#tasks/video/pools.ts'
import { isAbandoned, startFolder } from './start-lock.ts'

/**
 * Time without use in milliseconds after which copies of an asset are deleted. The next job that needs the copies
 * downloads them again.
 */
const idleMs = 6 * 60 * 60_000

/**
 * Time without use in milliseconds after which copies are deleted while the disk is too full for the next job. A tool
 * with an open file can still read it.
 */
const idleWhenFullMs = 10 * 60_000

const clearMs = 10_000

/**
 * Opens the scratch folder and deletes leftovers of dead workers and finished assets. `listProcessing` returns which of
 * the given assets are being processed.
 */
export async function openScratch(
  root: string,
  storage: Storage,
  listProcessing: (assetIds: string[]) => Promise<readonly string[]>,
): Promise<Scratch & { close(): Promise<void> }> {
  const attempts = join(root, 'attempts')
  const assets = join(root, 'assets')
  await Promise.all([attempts, assets].map((folder) => mkdir(folder, { recursive: true })))
  const { folder: own, release } = await startFolder(attempts)
  for (const folder of [root, attempts, own]) await letPass(folder)
  const isIdle = async (name: string, ms = idleMs, folder = assets) =>
    Date.now() - (await stat(join(folder, name))).mtimeMs > ms
  const isLeft = async (name: string) =>
    (await isAbandoned(join(attempts, name))) ?? (await isIdle(name, idleMs, attempts))
  const clearAll = async () => {
    await clear(attempts, await readdir(attempts), isLeft)
    const names = await readdir(assets)
    const processing = new Set(names.length > 0 ? await listProcessing(names) : [])
    // Deletes only folders whose names were in the query. The query did not include newer folders.
    await clear(assets, names, async (name) => !processing.has(name) || (await isIdle(name)))
  }
  const failed = (error: Error) => log.warn({ err: error.message }, 'scratch folder could not be cleared')
  await clearAll().catch(failed)
  const clearing = runEvery(clearMs, clearAll, failed).unref()

  const folderOf = (assetId: string) => join(assets, assetId)
  const local = (assetId: string, key: string) => join(folderOf(assetId), basename(key))
  const downloads = new SingleFlight<string>()

  return {
    capacity: await bytesOf(root, 'blocks'),
    folderOf,
    async fetch(assetId, key, signal) {
      const path = local(assetId, key)
      if (await exists(path)) {
        await utimes(folderOf(assetId), new Date(), new Date())
        return path
      }
      // Jobs of one process share a download. If different processes download the same bytes, the last rename wins.
      const shared = downloads.underWay(path)
      if (shared !== undefined) return await shared.catch(() => fetchAlone(path, key, signal))
      return await downloads.share(path, () => fetchAlone(path, key, signal))
    },
    async keep(assetId, key, path) {
      await mkdir(folderOf(assetId), { recursive: true })
      await rename(path, local(assetId, key))
      return local(assetId, key)
    },
    async attempt(bytes = 0) {
      await makeRoom(bytes)
      const path = join(own, randomUUID())
      await mkdir(path)
      await letPass(path)
      return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
    },
    async forget(assetId) {
      await rm(folderOf(assetId), { recursive: true, force: true })
    },
    close: runOnlyOnce(async () => {
      await clearing.stop()
      await rm(own, { recursive: true, force: true })
      await release()
    }),
  }

  async function fetchAlone(path: string, key: string, signal: AbortSignal): Promise<string> {
    await makeRoom((await storage.size(key)) ?? 0)
    await storage.download(key, path, signal)
    return path
  }

  async function makeRoom(bytes: number): Promise<void> {
    if ((await bytesFree(root)) >= bytes) return
    await clear(assets, await readdir(assets), (name) => isIdle(name, idleWhenFullMs))
    const free = await bytesFree(root)
    if (free >= bytes) return
    const [has, needs] = [free, bytes].map((count) => Math.ceil(count / 2 ** 20))
    throw new TransientEngineError('no_space', `The scratch disk has ${has} MiB left, but ${needs} MiB are needed.`)
  }
}

/**
 * Adds execute permissions, so that clamd and other programs can reach files that they may read. Ignores folders of
 * another owner.
 */
async function letPass(folder: string): Promise<void> {
  await chmod(folder, ((await stat(folder)).mode & 0o7777) | 0o011).catch(() => {})
}

const bytesFree = (folder: string) => bytesOf(folder, 'bavail')

async function bytesOf(folder: string, which: 'blocks' | 'bavail'): Promise<number> {
  const disk = await statfs(folder)
  return disk[which] * disk.bsize
}

async function clear(folder: string, names: string[], isLeft: (name: string) => Promise<boolean>): Promise<void> {
  for (const name of names) {
    if (await isLeft(name).catch(() => false)) await rm(join(folder, name), { recursive: true, force: true })
  }
}

const exists = async (path: string) =>
  await stat(path).then(
    () => true,
    () => false,
  )
