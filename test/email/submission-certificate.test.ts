import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { connect, type TLSSocket } from 'node:tls'
import nodemailer from 'nodemailer'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { findServed, findStanding } from '#sql/email/host-certificates.ts'
import { certifyHost } from '#tasks/email/certify-host.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { readIssued } from '../../ingress/email/submission/certificate.ts'
import { listenSubmission } from '../../ingress/email/submission/listener.ts'
import { testOrg } from '../support/ingress.ts'
import { startPebble } from '../support/pebble.ts'
import { freePort } from '../support/postgres.ts'
import { makeCertificate } from '../support/push-servers/certificate.ts'
import { until } from '../support/until.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'
import { message, verified } from './sending.ts'

const stack = await videoStack(t, { areas: ['email', 'service'] })
const { db, ingress } = stack
const host = 'smtp.mill.example'
const common = { host: '127.0.0.1', variable: 'MAIL_SUBMISSIONS_PORT', isImplicit: true, readAgainMs: 100 }

/** The serial number of the certificate on a port with TLS. With `ca`, the handshake succeeds only if it is trusted. */
async function servedOn(port: number, ca?: string | Buffer): Promise<string> {
  const socket: TLSSocket = connect({ port, host: '127.0.0.1', servername: host, ca, rejectUnauthorized: Boolean(ca) })
  try {
    await once(socket, 'secureConnect')
    return new X509Certificate(socket.getPeerCertificate().raw).serialNumber
  } finally {
    socket.destroy()
  }
}

t.test('files of a certificate that are replaced are served without a restart, and broken ones are not', async (t) => {
  const [first, second] = [await makeCertificate(t), await makeCertificate(t)]
  const files = { cert: `${first.caFile}.served`, key: `${first.caFile}.served.key` }
  await copyFile(first.caFile, files.cert)
  await writeFile(files.key, first.key)
  const server = await listenSubmission(ingress.app, { ...common, port: 0, files })
  t.teardown(() => server.close(0))
  const serial = ({ cert }: { cert: string }) => new X509Certificate(cert).serialNumber
  t.equal(await servedOn(server.port), serial(first))
  // A renewal that has replaced one of two files: the former certificate stays.
  await writeFile(files.cert, second.cert)
  for (let n = 0; n < 20; n++) t.equal(await servedOn(server.port), serial(first))
  await writeFile(files.cert, 'no certificate')
  t.equal(await servedOn(server.port), serial(first))
  await writeFile(files.cert, second.cert)
  await writeFile(files.key, second.key)
  await until(async () => (await servedOn(server.port)) === serial(second), { what: 'the second certificate' })
})

t.test('a certificate is ordered, served, used to send, and renewed without a restart', async (t) => {
  const pebble = await startPebble(t, Number(new URL(ingress.url).port))
  const port = await freePort()
  const read = readIssued(db, host, signingSecret)
  const server = await listenSubmission(ingress.app, { ...common, port, read })
  t.teardown(() => server.close(0))
  await t.rejects(servedOn(port), { code: 'ECONNREFUSED' }, 'the port opens with the certificate')

  const workers = await stack.startWorkers({ ...pebble.environment, MAIL_SUBMISSION_HOST: host }, 'core')
  // Workers with another host name must not take the jobs of the next test.
  t.teardown(() => workers.stop())
  await enqueue(db, certifyHost, {})
  await until(() => findServed(db, host), { what: 'the certificate is issued', timeout: 60_000 })
  const ca = await readFile(pebble.rootFile)
  const before = await until(() => servedOn(port, ca).catch(() => undefined), { what: 'the port opens' })
  t.match(await findStanding(db, host), { failures: 0, reason: null })
  const { org, keys } = await testOrg(db, [], { keys: { main: { prefix: 'snd_live_', scopes: ['email:send'] } } })
  await verified(db, org.id, 'shop.example')
  const transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port,
    secure: true,
    tls: { ca, servername: host },
    auth: { user: 'shop', pass: keys.main },
  })
  const { from, to, subject, text } = message('shop.example')
  const sent = await transport.sendMail({ from: from.email, to, subject, text })
  t.match(sent.response, /^250 Accepted as/)

  const stored = await findServed(db, host)
  t.notMatch(stored?.key, /PRIVATE KEY/, 'the key is encrypted')
  await db.query(sql.typeAlias('void')`update email.host_certificates set due_at = now()`)
  await enqueue(db, certifyHost, {})
  await until(async () => (await servedOn(port, ca)) !== before, { what: 'the renewed certificate', timeout: 60_000 })
})

t.test('a name without an IP address is tried later, with the reason', async (t) => {
  const pebble = await startPebble(t, Number(new URL(ingress.url).port))
  const other = 'away.mill.example'
  await pebble.name('set-servfail', `${other}.`)
  const workers = await stack.startWorkers({ ...pebble.environment, MAIL_SUBMISSION_HOST: other }, 'core')
  await enqueue(db, certifyHost, {})
  const standing = await until(
    async () => {
      const found = await findStanding(db, other)
      return found && found.failures > 0 ? found : undefined
    },
    { what: 'the failure', timeout: 60_000 },
  )
  t.match(standing.reason, /away\.mill\.example/)
  t.ok(standing.due_at.getTime() > Date.now() + 30_000)
  t.equal(await findServed(db, other), null)
  t.ok(workers.lines.some((line) => line.includes('could not be issued')))
})
