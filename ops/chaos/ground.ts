import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureDatabase } from '../embedded/database.ts'
import { superuserUrl } from '../embedded/postgres.ts'
import * as parts from '../start/parts.ts'
import { preferPort } from '../start/ports.ts'
import type { Secrets } from '../start/secrets.ts'
import type { Part } from '../start/supervise.ts'
import type { Actor } from './actor.ts'

/** What a stage stands on. */
export interface Ground {
  /** The address of the database, the store and the ingress. */
  host: string
  /** Starts the database; `settings` are variables that ingress and workers get for it. */
  database(given: Site): Promise<{ postgres?: Actor; url: string; settings?: Record<string, string> }>
  /** Gives a worker its place; without it, all are on the machine itself. */
  place?(part: Part, number: number): Part
}

/** Where a stage is raised. */
export interface Site {
  folder: string
  secrets: Secrets
  start(part: Part): Promise<Actor>
  ends: AsyncDisposableStack
}

/** Connections that Postgres gives; few, so that they can all be taken. */
const maxConnections = 160

/** One Postgres of the stage's own, on an address, that gives so many connections. */
export function oneServer(host: string, connections = maxConnections): Ground['database'] {
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

/** All on 127.0.0.1. */
export const ownGround: Ground = { host: '127.0.0.1', database: oneServer('127.0.0.1') }
