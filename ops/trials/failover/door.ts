import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import { waitUntil } from '../chaos/fault.ts'
import type { Cluster } from './cluster.ts'

/**
 * A row whose commit was confirmed to a client, with the server, and the start and end of the request by
 * `performance.now()`.
 */
interface Taken {
  number: number
  begun: number
  at: number
  server: string
}

/** A client that writes a row through HAProxy five times per second, each time on a new connection. */
export interface WriteProbe {
  last(): Taken | undefined
  stop(): Promise<void>
  /** Ends the writes. Returns the longest time without an accepted row, and the failed checks. */
  end(): Promise<{ gap: number; broken: string[] }>
}

const everyMs = 200
const timeoutMs = 3_000

export async function startWriteProbe(cluster: Cluster): Promise<WriteProbe> {
  const url = cluster.door.replace(/postgres$/, 'millrace')
  const table = 'create table if not exists chaos.door (number bigint primary key)'
  await waitUntil('the table exists', () => ask(url, table))
  const taken: Taken[] = []
  const open = new Set<Promise<void>>()
  let over = false
  let number = Date.now()

  async function write(): Promise<void> {
    const [own, begun] = [number++, performance.now()]
    const text = `insert into chaos.door values (${own}) returning host(inet_server_addr()) as server`
    const rows = await ask(url, text).catch(() => [])
    const { success, data } = Server.safeParse(rows)
    if (success) taken.push({ number: own, begun, at: performance.now(), server: data[0].server })
  }

  const running = (async () => {
    while (!over) {
      const one = write().finally(() => open.delete(one))
      open.add(one)
      await pause(everyMs)
    }
    await Promise.all(open)
  })()
  async function stop(): Promise<void> {
    over = true
    await running
  }
  await waitUntil('a row is accepted', () => taken.length > 0 || undefined).catch(async (error) => {
    await stop()
    throw error
  })
  return {
    last: () => taken.at(-1),
    stop,
    async end() {
      await stop()
      const rows = Numbers.parse(
        await waitUntil('the rows can be read', () => ask(url, 'select number::text from chaos.door')),
      )
      const there = new Set(rows.map((row) => Number(row.number)))
      const lost = taken.filter((row) => !there.has(row.number)).length
      const stale = writtenPast(taken)
      return {
        gap: longestGap(taken.map(({ at }) => at)),
        broken: [
          ...(lost > 0 ? [`${lost} rows were accepted at HAProxy and are missing`] : []),
          ...(stale > 0 ? [`${stale} rows were accepted by an old primary after the new one had accepted some`] : []),
        ],
      }
    },
  }
}

const Server = z.tuple([z.object({ server: z.string() })])
const Numbers = z.array(z.object({ number: z.string() }))

/** Returns the number of rows that a server accepted after another server had taken over before the request. */
function writtenPast(taken: readonly Taken[]): number {
  const order = taken.toSorted((a, b) => a.at - b.at)
  const turns = order.filter((row, i) => row.server !== order[i - 1]?.server)
  const first = new Map<string, number>()
  let stale = 0
  for (const { server, at } of turns) {
    // A replaced server can become primary again only by another switch, which does not happen in a round with one
    // fault.
    if (first.has(server)) stale += order.filter((row) => row.server === server && row.begun > at - 1).length
    first.set(server, at)
  }
  return stale
}

export function longestGap(times: readonly number[]): number {
  const order = times.toSorted((a, b) => a - b)
  return Math.max(0, ...order.slice(1).map((at, i) => at - (order[i] as number)))
}

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    void client.end().catch(() => {})
  }
}
