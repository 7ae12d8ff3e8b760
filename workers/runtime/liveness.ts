import { hostname } from 'node:os'
import { Client } from 'pg'
import { newId } from '#lib/ids.ts'
import { loopDelayMeter } from '#lib/telemetry/loop-delay.ts'
import { lockSpaces } from '#sql/advisory-locks.ts'
import type { PoolName } from '#tasks/queue/pools.ts'

/** A process's claim to be alive: a session that holds one advisory lock for each pool it works for. */
export interface Liveness {
  /**
   * Registers the worker that locks jobs of `pool` as `lockedBy`, runs `concurrency` at once and has a scratch disk of `scratch`
   * bytes; nothing may be fetched before this resolves.
   */
  register(pool: PoolName, lockedBy: string, concurrency: number, scratch?: number): Promise<void>
  /** Whether the last beat is within the lease by this process's own clock: after a freeze it is not, even before the next beat. */
  holds(): boolean
  /** Signs off: what the workers still hold is released at once and blames nobody. */
  leave(): Promise<void>
}

/**
 * Opens the session and beats every `lease`/5 milliseconds. `onLost` is called once with the reason when this process may
 * no longer believe that its jobs are its own: the session broke, a beat found a worker declared lost, or none got through.
 */
export async function openLiveness(
  databaseUrl: string,
  lease: number,
  onLost: (why: string) => void,
): Promise<Liveness> {
  const client = new Client({ connectionString: databaseUrl, keepAlive: true, query_timeout: lease })
  const ids: string[] = []
  let left = false
  const lose = (why: string) => {
    if (left) return
    left = true
    clearInterval(beating)
    onLost(why)
  }
  client.on('error', (error) => lose(`the liveness session broke: ${error.message}`))
  client.on('end', () => lose('the liveness session ended'))
  await client.connect()

  let lastBeat = performance.now()
  let beatUnderWay = false
  const loop = loopDelayMeter()
  const beat = async () => {
    const sent = performance.now()
    // A pool may register before the answer comes.
    const asked = [...ids]
    beatUnderWay = true
    const { rowCount } = await client.query(
      `update jobs.workers set seen_at = now(), loop_delay_ms = $2 where id = any($1) and state = 'alive'`,
      [asked, loop.read().max * 1e3],
    )
    if (rowCount !== asked.length) lose('another worker declared this one lost')
    lastBeat = sent
    beatUnderWay = false
  }
  // Late by the process's own clock counts too: after SIGSTOP and SIGCONT the first tick sees the gap before any task does.
  const beating = setInterval(() => {
    if (performance.now() - lastBeat > lease) return lose('no beat got through within the lease')
    if (!beatUnderWay) beat().catch((error: Error) => lose(`a beat failed: ${error.message}`))
  }, lease / 5)

  return {
    async register(pool, lockedBy, concurrency, scratch) {
      const id = newId()
      // The row becomes visible with its lock already held, so that no sweeper can find it free in between.
      await client.query('begin')
      const { rows } = await client.query<{ lock_key: number }>(
        `insert into jobs.workers (id, pool, locked_by, host, pid, concurrency, scratch_bytes)
         values ($1, $2, $3, $4, $5, $6, $7) returning lock_key`,
        [id, pool, lockedBy, hostname(), process.pid, concurrency, scratch ?? null],
      )
      await client.query('select pg_advisory_lock($1, $2)', [lockSpaces.worker, rows[0]?.lock_key])
      await client.query('commit')
      ids.push(id)
    },
    holds: () => performance.now() - lastBeat <= lease,
    async leave() {
      if (left) return
      left = true
      clearInterval(beating)
      // Signed off with its jobs still its own, a worker that dies here would be found by no sweep.
      await client.query('begin')
      await client.query(`update jobs.workers set state = 'stopped', seen_at = now() where id = any($1)`, [ids])
      await client.query(`select jobs.release(w, false) from jobs.workers as w where w.id = any($1)`, [ids])
      await client.query('commit')
      await client.end()
    },
  }
}
