import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { config } from '#lib/config.ts'
import { ensureDatabase } from '../../embedded/database.ts'
import { startPostgres } from '../../embedded/postgres.ts'
import { migrateAll } from '../../migrate.ts'
import { preferPort } from '../../start/ports.ts'

export async function createBenchmarkFolder(ends: AsyncDisposableStack): Promise<string> {
  const parent = resolve(config.MILLRACE_DATA, 'bench')
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'run-'))
  ends.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** Starts a separate Postgres with the settings of the product and a migrated database. Returns its URL. */
export async function createBenchmarkDatabase(
  folder: string,
  ends: AsyncDisposableStack,
  settings: Record<string, string> = {},
): Promise<string> {
  const port = await preferPort('127.0.0.1', undefined)
  const password = randomBytes(16).toString('hex')
  const postgres = await startPostgres({ dir: join(folder, 'postgres'), port, password, settings })
  ends.defer(() => postgres.stop())
  const url = await ensureDatabase(postgres.url, 'millrace', password)
  await migrateAll(url)
  return url
}
