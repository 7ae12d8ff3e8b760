import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forEachConcurrently } from '#lib/concurrency.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { readFacts } from '#sql/account/move/facts.ts'
import { tableOf } from '#sql/account/move/owned-rows.ts'
import { storedBytes, storedTogether } from '../stored-bytes.ts'
import type { Moving } from './plan.ts'

const atOnce = 8

/**
 * Copies missing and different objects to the bucket of the target. Returns the number of objects and their size in
 * bytes.
 */
export async function copyObjects({
  source,
  target,
  tables,
  move,
}: Moving): Promise<{ objects: number; bytes: number }> {
  const copied = { objects: 0, bytes: 0 }
  if (move.objects === 'shared' || !source.storage || !target.storage) return copied
  const [from, to] = [source.storage, target.storage]
  const folder = await mkdtemp(join(tmpdir(), 'millrace-move-'))
  const under = async (prefix: string) => {
    const there = new Map<string, Listed>()
    for await (const one of to.list(prefix)) there.set(one.key, one)
    const missing: Listed[] = []
    for await (const one of from.list(prefix)) if (!isSame(one, there.get(one.key))) missing.push(one)
    for (const { key, bytes } of missing) {
      if (!(await copyOne(from, to, key, join(folder, encodeURIComponent(key).slice(-200))))) continue
      copied.objects += 1
      copied.bytes += bytes
    }
  }
  try {
    for (const prefix of Object.values(storedTogether)) await under(prefix(move.org_id))
    for (const [name, { facts, prefixes }] of Object.entries(storedBytes)) {
      const table = tables.find((one) => one.name === name)
      if (!table) throw new Error(`Table ${name} does not move.`)
      await readFacts(source.db, tableOf(name), table.belongs(move.org_id), facts, (rows) =>
        forEachConcurrently(rows, atOnce, async (row) => {
          for (const prefix of prefixes(row)) await under(prefix)
        }),
      )
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return copied
}

interface Listed {
  key: string
  bytes: number
  etag: string
}

/** True if both objects have the same size, and the same entity tag if both were uploaded in one piece. */
function isSame(one: Listed, other: Listed | undefined): boolean {
  if (one.bytes !== other?.bytes) return false
  return one.etag === other.etag || one.etag.includes('-') || other.etag.includes('-')
}

async function copyOne(from: Storage, to: Storage, key: string, path: string): Promise<boolean> {
  if (!(await from.head(key))) return false
  try {
    await to.upload(path, key, await from.downloadWith(key, path))
  } finally {
    await rm(path, { force: true })
  }
  return true
}
