import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { config } from '#lib/config.ts'
import { type Fault, type FaultContext, measureNextAccepted } from '../fault.ts'
import type { Stage } from '../stage.ts'

export const connectionsExhausted: Fault = {
  name: 'connections-exhausted',
  what: 'the pool of the ingress, then all connections of Postgres in use',
  async strike(arena) {
    await holdPool(arena.stage, arena.away)
    const ownPool = await measureNextAccepted(arena)
    const taken = await takeAll(arena)
    try {
      await pause(arena.away)
    } finally {
      await Promise.all(taken.map((client) => client.end().catch(() => {})))
    }
    const broken = taken.length > 0 ? [] : ['no free connection was left to take']
    return { recovery: Math.max(ownPool, await measureNextAccepted(arena)), broken }
  },
}

/** Sends requests that sleep in the database, twice the size of the pool. Resolves when they have ended. */
async function holdPool({ base, key }: Stage, ms: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ seconds: ms / 1000 })
  const hold = () => fetch(`${base}/v1/chaos/holds`, { method: 'POST', headers, body }).then((answer) => answer.text())
  await Promise.allSettled(Array.from({ length: config.DATABASE_POOL * 2 }, hold))
}

/** Opens every connection that an ordinary role can get. Waits while the server is down. */
async function takeAll({ stage }: FaultContext): Promise<Client[]> {
  const taken: Client[] = []
  for (let end = performance.now() + 30_000; performance.now() < end; ) {
    const client = new Client({ connectionString: stage.url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      taken.push(client)
    } catch (error) {
      if ((error as { code?: string }).code === '53300') return taken
      await pause(100)
    }
  }
  return taken
}
