import type { Test } from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/** Connections of an MX set at most (tasks/email/rules/delivery/presets.ts). */
const mostConnections = 10

/** Kills a mail worker without a word `kills` times while it delivers `count` messages: none is lost, and few arrive twice. */
export async function killDuring(t: Test, count: number, kills: number): Promise<void> {
  const port = await freePort()
  const domains = Array.from({ length: 3 }, (_, i) => `d${i}.rcpt.example`)
  const [stack, nsd] = await Promise.all([
    mailStack(t),
    startNsd(t, {
      'rcpt.example': domains.map((_, i) => `d${i} IN MX 10 mx.d${i}\nmx.d${i} IN A 127.0.0.${60 + i}`).join('\n'),
    }),
  ])
  const sinks = await Promise.all(
    domains.map((_, i) => startSink(t, `127.0.0.${60 + i}`, port, { hideSTARTTLS: true })),
  )
  const environment = { DNS_RESOLVERS: nsd.dns, MAIL_MX_PORT: String(port), MAIL_MX_ALLOWED: '127.0.0.0/24' }
  let worker = await stack.startWorkers(environment, 'mail-transactional')
  const chunk = 500
  for (let sent = 0; sent < count; sent += chunk) {
    await stack.send(
      ...Array.from({ length: Math.min(chunk, count - sent) }, (_, i) => ({
        to: `r${sent + i}@${domains[(sent + i) % domains.length]}`,
      })),
    )
  }
  const arrived = () => sinks.reduce((sum, { mails }) => sum + mails.length, 0)
  for (let kill = 1; kill <= kills; kill++) {
    const mark = (count * kill) / (kills + 1)
    await until(() => arrived() > mark, { what: `${mark} messages have arrived`, timeout: 60_000, every: 5 })
    await worker.kill()
    worker = await stack.startWorkers(environment, 'mail-transactional')
  }
  const left = () => stack.db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from email.deliveries`)
  await until(async () => (await left()) === 0, { what: 'nothing waits any more', timeout: 120_000 })

  const copies = new Map<string, Set<string>>()
  let extra = 0
  for (const { mails } of sinks) {
    for (const { to, raw } of mails) {
      const ids = copies.get(to) ?? new Set()
      if (ids.size > 0) extra++
      copies.set(to, ids.add(/^Message-ID: (.*)\r$/m.exec(raw.toString())?.[1] ?? ''))
    }
  }
  t.equal(copies.size, count, 'none is lost')
  // One message is on its way in each connection, or its reply is about to be written.
  const inFlight = kills * mostConnections * domains.length
  t.ok(extra <= inFlight, `${extra} arrived twice, of at most ${inFlight} in flight`)
  t.ok(
    [...copies.values()].every((ids) => ids.size === 1),
    'under the same Message-ID',
  )
  const wrong = await stack.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from email.messages where status <> 'delivered'`)
  t.equal(wrong, 0, 'and each is known to be delivered')
  const unknown = await stack.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(distinct message_id) from email.attempts where outcome = 'unknown'`)
  t.ok(unknown >= extra, `the ${unknown} that may have arrived twice are on record`)
  await worker.stop()
}
