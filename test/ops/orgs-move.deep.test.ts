import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { z } from 'zod'
import { childEnvironment } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import * as audit from '#sql/account/audit.ts'
import * as moves from '#sql/account/move/moves.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { verifyByOperator } from '#sql/email/delivery/vouching.ts'
import * as domains from '#sql/email/domains.ts'
import { createKeys } from '#tasks/email/rules/domains/make-keys.ts'
import { preferPort } from '../../ops/start/ports.ts'
import { addOrg, startCells, type TestCell } from '../../ops/trials/cells/bed.ts'
import { startSink } from '../support/mail-sink.ts'
import { program, runLine } from '../support/millrace.ts'
import { until } from '../support/until.ts'

t.setTimeout(900_000)

/** Requests a second, and how long they come before and after the move. */
const rate = 20
const aroundMs = 5_000

const domain = 'moving.example'

t.test('a move under load loses and doubles nothing', async (t) => {
  await using ends = new AsyncDisposableStack()
  const hooks: string[] = []
  const receiver = createServer((request, response) => {
    request.resume()
    hooks.push(String(request.headers['webhook-id']))
    response.end()
  }).listen(0, '127.0.0.1')
  t.teardown(async () => void receiver.close())
  const sink = await startSink(t, '127.0.0.1', await preferPort('127.0.0.1', undefined))
  const bed = await startCells(
    {
      names: ['a', 'b'],
      workers: true,
      oneBucket: true,
      settings: {
        MAIL_SMARTHOST: `smtp://127.0.0.1:${sink.port}`,
        WEBHOOK_HTTP: 'true',
        OUTBOUND_ALLOWED: '127.0.0.1',
      },
    },
    ends,
  )
  const [a, b] = [bed.cells.a as TestCell, bed.cells.b as TestCell]
  const { orgId, key } = await addOrg(a, 'moving', ['email:send', 'email:manage', 'stream:read', 'stream:write'])
  await addDomain(a.db, orgId, a.env.SIGNING_SECRET as string)
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(a.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return {
      status: answer.status,
      again: answer.headers.get('retry-after'),
      body: JSON.parse((await answer.text()) || 'null'),
    }
  }
  const { port } = receiver.address() as AddressInfo
  const hook = await call('POST', '/send/v1/webhooks', { url: `http://127.0.0.1:${port}/`, events: ['*'] })
  t.equal(hook.status, 201, JSON.stringify(hook.body))

  const film = randomBytes(1024)
  const started = await call('POST', '/v1/stream/uploads', {
    bytes: film.length,
    filename: 'film.mp4',
    mimeType: 'video/mp4',
  })
  t.equal(started.status, 201, JSON.stringify(started.body))
  const signed = await call('POST', `/v1/stream/uploads/${started.body.uploadId}/parts/sign`, { partNumbers: [1] })
  t.equal(signed.status, 201, JSON.stringify(signed.body))

  const seen = { sent: 0, away: 0, others: [] as string[], firstAway: 0, lastAway: 0 }
  const accepted: string[] = []
  const send = async (number: number) => {
    const body = {
      stream: 'transactional',
      from: { email: `orders@${domain}`, name: 'Orders' },
      to: `n${number}@rcpt.example`,
      subject: `number ${number}`,
      text: 'It is on its way.',
    }
    for (const end = Date.now() + 120_000; Date.now() < end; ) {
      seen.sent++
      const answer = await call('POST', '/send/v1/messages', body, { 'idempotency-key': `n${number}` }).catch(
        (error) => ({
          status: 0,
          again: null,
          body: String(error.cause ?? error),
        }),
      )
      if (answer.status === 202) return void accepted.push(answer.body.message_id)
      if (answer.status === 503 && answer.again) {
        seen.away++
        seen.firstAway ||= performance.now()
        seen.lastAway = performance.now()
      } else seen.others.push(`${answer.status} ${JSON.stringify(answer.body)}`)
      await pause(300)
    }
    seen.others.push(`number ${number} was never taken`)
  }

  let going = true
  const all: Promise<void>[] = []
  const load = (async () => {
    const begun = performance.now()
    for (let number = 0; going; number++) {
      await pause(Math.max(0, begun + (number * 1000) / rate - performance.now()))
      all.push(send(number))
    }
    await Promise.all(all)
  })()
  await pause(aroundMs)
  const begun = performance.now()
  const said = await runLine(
    program,
    `orgs move ${orgId} --to b --same-secret --pause 120`,
    childEnvironment(a.env),
    undefined,
    600_000,
  )
  t.equal(said.code, 0, said.err + said.out)
  const moveMs = performance.now() - begun
  await pause(aroundMs)
  going = false
  await load

  const put = await fetch(signed.body.parts[0].url, { method: 'PUT', body: film })
  t.equal(put.status, 200)
  const completed = await call('POST', `/v1/stream/uploads/${started.body.uploadId}/complete`, {})
  t.equal(completed.status, 201, JSON.stringify(completed.body))

  t.same(seen.others.slice(0, 5), [], `${seen.others.length} of other answers`)
  t.equal(accepted.length, all.length, 'all are taken in the end')
  t.equal(new Set(accepted).size, all.length)
  const open = (db: DatabasePool) =>
    db.oneFirst(sql.typeAlias('count')`select count(*) from email.deliveries where org_id = ${orgId}`)
  await until(async () => (await open(b.db)) === 0, { timeout: 180_000, what: 'all mail is delivered' })
  const subjects = sink.mails.map(({ raw }) => /^subject: (.*)$/im.exec(raw.toString('latin1'))?.[1] ?? '')
  t.equal(subjects.length, all.length, 'mails at the catcher')
  t.equal(new Set(subjects).size, all.length, 'each once')
  const Event = z.object({ id: z.string() })
  const events = await b.db.anyFirst(sql.type(Event)`select id from webhooks.events where org_id = ${orgId}`)
  await until(() => new Set(hooks).size >= events.length, { timeout: 180_000, what: 'all events are told' })
  t.same([...hooks].sort(), [...events].sort(), 'each event is told once')
  t.equal((await moves.findMoved(a.db, orgId))?.cell ?? 'b', 'b')
  const chain = await audit.listChain(b.db, orgId, 0, 1_000)
  for (const [i, { hash, ...entry }] of chain.entries()) {
    t.equal(entry.previous_hash, i === 0 ? audit.firstHash : chain[i - 1]?.hash)
    t.equal(hash, audit.hashEntry(entry))
  }
  t.comment(
    `${all.length} mails at ${rate}/s, ${events.length} events; the command took ${(moveMs / 1000).toFixed(1)} s; ${seen.away} answers of 503 within ${((seen.lastAway - seen.firstAway) / 1000).toFixed(1)} s`,
  )
  t.comment(said.out)
})

async function addDomain(db: DatabasePool, orgId: string, secret: string): Promise<void> {
  const id = newId()
  const keys = await createKeys(orgId, id, secret)
  await db.transaction(async (tx) => {
    await domains.insert(tx, { id, org_id: orgId, domain, return_path: `bounce.${domain}` }, keys, 100)
    await verifyByOperator(tx, id)
  })
}
