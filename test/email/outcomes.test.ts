import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort, type Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const port = await freePort()
const names = ['good', 'nul', 'odd'] as const
const [stack, nsd] = await Promise.all([
  mailStack(t),
  startNsd(t, {
    'rcpt.example': [
      ...names.map((name, i) => `${name} IN MX 10 mx.${name}\nmx.${name} IN A 127.0.0.${50 + i}`),
      'null IN MX 0 .',
    ].join('\n'),
  }),
])
await stack.startWorkers({
  DNS_RESOLVERS: nsd.dns,
  MAIL_MX_PORT: String(port),
  MAIL_MX_ALLOWED: '127.0.0.0/24',
  MAIL_TRANSACTIONAL_ADDRESSES: '127.0.0.130=mta1.platform.example',
})

/** A server that says what it likes. */
async function startOdd(t: Scope, address: string, say: (socket: Socket) => void): Promise<void> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    say(socket)
  })
  server.listen(port, address)
  await once(server, 'listening')
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
}

const statuses = () =>
  stack.db.any(sql.type(z.object({ status: z.string(), n: z.number() }))`
    select status, count(*) as n from email.messages group by 1`)

const countOf = async (status: string) => (await statuses()).find((row) => row.status === status)?.n ?? 0

t.test('a server that greets with NUL costs nobody beside it a second copy', async (t) => {
  await startOdd(t, '127.0.0.51', (socket) => socket.end('\0\ud800 220\0 hello\0\r\n'))
  const sink = await startSink(t, '127.0.0.50', port)
  const ids = await stack.send(
    ...Array.from({ length: 120 }, (_, n) => ({ to: `reader${n}@good.rcpt.example` })).flatMap((one, n) =>
      n % 10 === 0 ? [one, { to: `reader${n}@nul.rcpt.example` }] : [one],
    ),
  )
  await until(async () => (await countOf('delivered')) === 120, { what: '120 messages are delivered' })
  const deferred = await stack.becomes(ids[1] as string, 'deferred')
  t.match(deferred.reason, /\ufffd/)
  t.equal(sink.mails.length, 120)
  t.equal(new Set(sink.mails.map(({ to }) => to)).size, 120, 'each once')
})

t.test('an outcome that the database refuses is settled by itself, and is still what it was', async (t) => {
  await stack.db.query(sql.typeAlias('void')`
    alter table email.attempts add constraint bearable check (mx_host <> 'mx.odd.rcpt.example')`)
  await stack.db.query(sql.typeAlias('void')`
    create function email.refuse() returns trigger language plpgsql as $$ begin
      if exists (select from email.messages where id = new.message_id and to_email like 'never@%') then
        raise exception 'never';
      end if;
      return new;
    end $$`)
  await stack.db.query(sql.typeAlias('void')`
    create trigger refuse before insert on email.attempts for each row execute function email.refuse()`)
  const sinks = await Promise.all(['127.0.0.50', '127.0.0.52'].map((address) => startSink(t, address, port)))
  const to = Array.from({ length: 20 }, (_, n) => [`good${n}@good`, `odd${n}@odd`]).flat()
  const ids = await stack.send(...[...to, 'never@odd'].map((name) => ({ to: `${name}.rcpt.example` })))
  for (const id of ids) await stack.becomes(id, 'delivered')
  const received = sinks.flatMap(({ mails }) => mails.map((mail) => mail.to))
  t.equal(received.length, ids.length, 'no copy too many')
  t.match(await stack.attempts(ids[0] as string), [{ mx_host: 'mx.good.rcpt.example', outcome: 'delivered' }])
  const [attempt, ...more] = await stack.attempts(ids[1] as string)
  t.match(attempt, { mx_host: null, outcome: 'delivered', replies: [] }, 'without what was said')
  t.same(more, [])
  t.same(await stack.attempts(ids.at(-1) as string), [], 'or with its end alone')
  const unrouted = await stack.send(...['a', 'never', 'b'].map((name) => ({ to: `${name}@null.rcpt.example` })))
  for (const id of unrouted) await stack.becomes(id, 'bounced')
})
