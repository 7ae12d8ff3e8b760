import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureDatabase } from '../../embedded/database.ts'
import { superuserUrl } from '../../embedded/postgres.ts'
import * as parts from '../../start/parts.ts'
import { preferPort } from '../../start/ports.ts'
import type { Secrets } from '../../start/secrets.ts'
import type { Part } from '../../start/supervise.ts'
import type { Actor } from './actor.ts'

export interface StageGround {
  host: string
  /** Starts the database. `settings` contains additional variables for ingress and workers. */
  database(given: StageLocation): Promise<{ postgres?: Actor; url: string; settings?: Record<string, string> }>
  /** Places a worker on a host. If not set, all workers run on this machine. */
  place?(part: Part, number: number): Part
}

export interface StageLocation {
  folder: string
  secrets: Secrets
  start(part: Part): Promise<Actor>
  ends: AsyncDisposableStack
}

/** Maximum number of connections of Postgres. It is low, so that a fault can use all of them. */
const maxConnections = 160

export function singleServerDatabase(host: string, connections = maxConnections): StageGround['database'] {
  return async ({ folder, secrets, start }) => {
    const server = { dir: join(folder, 'postgres'), host, port: await preferPort(host, undefined) }
    const rules = join(folder, 'pg_hba.conf')
    await writeFile(rules, 'host all all samenet scram-sha-256\n', { mode: 0o644 })
    const settings = { max_connections: String(connections), hba_file: rules }
    const options = { ...server, password: secrets.postgres_password, settings }
    const postgres = await start(parts.postgres(options))
    const url = await ensureDatabase(superuserUrl(options), 'millrace', secrets.database_password)
    return { postgres, url }
  }
}

export const ownGround: StageGround = { host: '127.0.0.1', database: singleServerDatabase('127.0.0.1') }
