import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { buildHtml } from '../mail/message.ts'

const message = (i: number) => ({
  stream: 'transactional',
  from: { email: 'orders@sender.example', name: 'Orders' },
  to: `r${i}@rcpt.example`,
  subject: `Order ${i}`,
  html: buildHtml(2_000, i),
  text: 'Hello',
})

/** Posts messages directly over 32 connections. Returns the messages per second. */
export async function burst(base: string, key: string, count: number): Promise<number> {
  const begun = performance.now()
  let next = 0
  const lane = async () => {
    while (next < count) {
      const response = await fetch(`${base}/send/v1/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': `direct-${next}-${begun}`,
        },
        body: JSON.stringify(message(next++)),
      })
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      await response.text()
    }
  }
  await Promise.all(Array.from({ length: 32 }, lane))
  return (count * 1_000) / (performance.now() - begun)
}

/** Adds rows in transactions of 500. */
export async function enqueueMany(pool: pg.Pool, count: number): Promise<void> {
  for (let added = 0; added < count; added += 500) {
    const bodies = Array.from({ length: Math.min(500, count - added) }, (_, i) => message(added + i))
    await pool.query(`select millrace.enqueue('email.messages.create', b) from jsonb_array_elements($1::jsonb) as b`, [
      JSON.stringify(bodies),
    ])
  }
}

/** Adds rows at a constant rate. Returns the milliseconds from `enqueue` to the acceptance. */
export async function steady(pool: pg.Pool, rate: number, seconds: number): Promise<{ p50: number; p99: number }> {
  await pool.query('truncate millrace.sent')
  const begun = performance.now()
  const added: Promise<unknown>[] = []
  for (let i = 0; i < rate * seconds; i++) {
    await pause(Math.max(0, begun + (i * 1_000) / rate - performance.now()))
    added.push(pool.query('select millrace.enqueue($1, $2)', ['email.messages.create', message(i)]))
  }
  await Promise.all(added)
  const read = `
    select count(*)::int as n, percentile_cont(0.5) within group (order by ms) as p50,
      percentile_cont(0.99) within group (order by ms) as p99
    from (select extract(epoch from sent_at - enqueued_at) * 1000 as ms from millrace.sent) as s`
  for (;;) {
    const { rows } = await pool.query(read)
    if (rows[0].n >= rate * seconds) return { p50: Number(rows[0].p50), p99: Number(rows[0].p99) }
    await pause(100)
  }
}

/** Returns the commits per second of 32 connections with one row each: without NOTIFY, as it is, and with NOTIFY. */
export async function measureNotify(
  url: string,
  pool: pg.Pool,
): Promise<{ without: number; product: number; always: number }> {
  const { rows } = await pool.query(`select pg_get_functiondef('millrace.wake()'::regprocedure) as wake`)
  const product = await commits(url)
  await pool.query(wakeWith('null'))
  const without = await commits(url)
  await pool.query(wakeWith(`perform pg_notify('millrace_outbox', '')`))
  const always = await commits(url)
  await pool.query(rows[0].wake)
  return { without, product, always }
}

const wakeWith = (statement: string) =>
  `create or replace function millrace.wake() returns void language plpgsql as $$ begin ${statement}; end $$`

async function commits(url: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 32 })
  const begun = performance.now()
  const end = begun + 3_000
  let done = 0
  const lane = async () => {
    while (performance.now() < end) {
      await pool.query({
        name: 'add',
        text: 'select millrace.enqueue($1, $2)',
        values: ['sms.messages.create', { to: 'x' }],
      })
      done++
    }
  }
  await Promise.all(Array.from({ length: 32 }, lane))
  const rate = (done * 1_000) / (performance.now() - begun)
  await pool.query(`delete from millrace.outbox where operation = 'sms.messages.create'`)
  await pool.end()
  return rate
}
