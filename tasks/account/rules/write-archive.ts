import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { forEachConcurrently } from '#lib/concurrency.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { readAll } from '#sql/account/exported-rows.ts'
import { exportDays } from '#sql/account/exports.ts'
import * as owned from '#sql/account/move/owned-rows.ts'
import * as orgs from '#sql/account/orgs.ts'
import type { DatabasePool } from '#sql/db.ts'
import { exportedFiles } from './exported-files.ts'
import { findExportedTables } from './exported-tables.ts'

const atOnce = 8

interface Means {
  db: DatabasePool
  storage: Storage
  signal: AbortSignal
}

/**
 * Writes the archive of an organisation to a local zip file, a few hundred rows at a time.
 * - `tables/<schema.table>.ndjson`: one row per line
 * - `files.ndjson`: stored files and links
 * - `manifest.json`: counts
 */
export async function writeArchive(path: string, orgId: string, means: Means): Promise<Record<string, number>> {
  const zip = new ZipFile()
  const file = zip.outputStream.pipe(createWriteStream(path))
  zip.on('error', (error) => file.destroy(error))
  const written = finished(file, { signal: means.signal })
  try {
    const counts = await addAll(zip, orgId, written, means)
    await written
    return counts
  } finally {
    file.destroy()
    await written.catch(() => {})
  }
}

async function addAll(
  zip: ZipFile,
  orgId: string,
  written: Promise<void>,
  means: Means,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const catalogue = await owned.readCatalogue(means.db)
  for (const [name, table] of findExportedTables(catalogue)) {
    means.signal.throwIfAborted()
    await entry(zip, `tables/${name}.ndjson`, written, async (add) => {
      counts[name] = await readAll(means.db, { ...table, orgId }, add)
    })
  }
  await entry(zip, 'files.ndjson', written, async (add) => {
    counts.files = await addFiles(orgId, means, add)
  })
  const manifest = {
    format: 'millrace-export',
    version: 1,
    made_at: new Date(),
    organisation: await orgs.find(means.db, orgId),
    counts,
  }
  zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), 'manifest.json')
  zip.end()
  return counts
}

type Add = (rows: readonly object[]) => Promise<void>

/** Adds an entry of lines to the zip file, at the speed of compression and disk. */
async function entry(
  zip: ZipFile,
  name: string,
  written: Promise<void>,
  fill: (add: Add) => Promise<void>,
): Promise<void> {
  const lines = new PassThrough()
  zip.addReadStream(lines, name)
  try {
    await fill(async (rows) => {
      const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
      if (!lines.write(text)) await Promise.race([once(lines, 'drain'), written])
    })
    lines.end()
    await Promise.race([finished(lines), written])
  } catch (error) {
    lines.destroy()
    throw error
  }
}

async function addFiles(orgId: string, { db, storage, signal }: Means, add: Add): Promise<number> {
  let count = 0
  for (const [root, { columns, keys }] of Object.entries(exportedFiles)) {
    await readAll(db, { root, chain: [], columns, orgId }, async (rows) => {
      const found: object[] = []
      const look = async (row: Readonly<Record<string, unknown>>) => {
        for (const key of await keys(row, orgId, storage)) {
          const head = await storage.head(key)
          if (head)
            found.push({
              table: root,
              id: row.id,
              key,
              bytes: head.bytes,
              // The link only allows downloads. If a browser displayed a file, the file could run code.
              url: await storage.signSave(key, exportDays * 86_400, {
                filename: key.split('/').at(-1) ?? 'file',
                type: 'application/octet-stream',
              }),
            })
        }
      }
      await forEachConcurrently(rows, atOnce, look, signal)
      count += found.length
      await add(found)
    })
  }
  return count
}
