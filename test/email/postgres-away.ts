import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { sql } from '#sql/db.ts'
import { awayPostgres } from '../support/away-postgres.ts'
import { startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'
import { signingSecret } from '../support/video-stack.ts'

const execute = promisify(execFile)
const program = fileURLToPath(new URL('./delivery-process.ts', import.meta.url))

/** Stops Postgres for some seconds while a server makes up its mind about a message: it is delivered once, and that is on record. */
export async function sessionGoesOn(t: Test, seconds: number): Promise<void> {
  const { url, db, away } = await awayPostgres(t)
  const [stack, nsd, port] = await Promise.all([
    mailStack(t, 'sender.example', { url, db }),
    startNsd(t, { 'rcpt.example': '@ IN MX 10 mx\nmx IN A 127.0.0.1' }),
    freePort(),
  ])
  const [began, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sink = await startSink(t, '127.0.0.1', port, {
    async onMail() {
      began.resolve()
      await gone.promise
      return undefined
    },
  })
  const environment: Record<string, string> = {
    DNS_RESOLVERS: nsd.dns,
    MAIL_MX_PORT: String(port),
    MAIL_MX_ALLOWED: '127.0.0.0/24',
    MAIL_HOSTNAME: 'mail.platform.example',
    PUBLIC_URL: 'https://platform.example',
    SIGNING_SECRET: signingSecret,
  }
  const turn = () =>
    execute(process.execPath, [program, url, 'rcpt.example'], {
      env: environment,
      timeout: 60_000,
      killSignal: 'SIGKILL',
    })
  const [id = ''] = await stack.send({ to: 'ann@rcpt.example' })
  const delivering = turn()
  await Promise.race([began.promise, delivering])
  await away(seconds, async () => gone.resolve())
  await delivering
  t.match(await stack.becomes(id, 'delivered'), { id })
  t.match(await stack.attempts(id), [{ number: 1, outcome: 'delivered' }])
  const left = sql.typeAlias('count')`
    select (select count(*) from email.deliveries) + (select count(*) from email.connections) as count`
  t.equal(await db.oneFirst(left), 0, 'nothing is left of it')
  await turn()
  t.equal(sink.mails.length, 1, 'it was sent once')
}
