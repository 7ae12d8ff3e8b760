import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect as http2 } from 'node:http2'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import t from 'tap'
import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { createDns } from '#lib/network/dns.ts'
import { createSeal } from '#lib/seal.ts'
import { renderMetrics } from '#lib/telemetry/metrics.ts'
import { type Db, sql } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import { sealPurpose } from '#sql/video/certificates.ts'
import * as playlists from '#sql/video/playlists.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { certifyDomain } from '#tasks/video/certify-domain.ts'
import { renewCertificates } from '#tasks/video/renew-certificates.ts'
import type { CertificateAuthority, CertificateIssuer } from '#tasks/video/rules/domains/certificate-authority.ts'
import { observeCertificates } from '#tasks/video/rules/domains/certificate-gauges.ts'
import { provide } from '../../ingress/http/container.ts'
import { dns } from '../../ingress/playback/services.ts'
import { listenTls } from '../../ingress/video/domains/tls.ts'
import { openAuthority } from '../../workers/core/certificate-authority.ts'
import { certificateIssuer } from '../../workers/core/certificate-issuer.ts'
import { filesOnDomain } from '../files/on-domain.ts'
import { fieldsOf, type Reply, testOrg } from '../support/ingress.ts'
import { startPebble } from '../support/pebble.ts'
import { isSealed } from '../support/sealed.ts'
import { until } from '../support/until.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t, { areas: ['service', 'docs', 'account', 'console', 'files'] })
const { db, orgId } = stack
const pebble = await startPebble(t, Number(new URL(stack.ingress.url).port))
const pebbleDns = createDns([pebble.dns])
const services = [provide(dns, pebbleDns)]
const trustedProxies = ['127.0.0.1']
const [first, second] = await Promise.all([
  stack.another(db, { services, trustedProxies }),
  stack.another(db, { services }),
])
const { org: other, keys: others } = await testOrg(db, ['stream:read', 'stream:write'])

/** Asks the first ingress with the organisation's key, or another's. */
const ask = (request: string, body?: unknown, key = stack.key) =>
  first.ask(request, { key, ...(body !== undefined && { body }) })
const claim = async (hostname: string, key?: string) => (await ask('POST /v1/stream/domains', { hostname }, key)).body
const verify = (id: string, key?: string) => ask(`POST /v1/stream/domains/${id}/verify`, undefined, key)
const status = async (id: string) => (await ask(`GET /v1/stream/domains/${id}`)).body
const publish = ({ dnsRecord: { name, value } }: Reply['body']) => pebble.name('set-txt', `${name}.`, { value })
const retract = ({ dnsRecord: { name } }: Reply['body']) => pebble.name('clear-txt', `${name}.`)

/** Opens a TLS port of an ingress; it goes with the test. */
async function secure({ app }: typeof first): Promise<number> {
  const server = await listenTls(app, '127.0.0.1', 0)
  t.teardown(() => server.close(0))
  return server.port
}
const [port, secondPort] = [await secure(first), await secure(second)]

/** Gets `https://host/path` with curl, which trusts what pebble signs; what it printed, or its error. */
async function curl(host: string, path: string, { at = port, more = [] as string[] } = {}) {
  const target = ['--resolve', `*:${at}:127.0.0.1`, '--cacert', pebble.rootFile, `https://${host}:${at}${path}`]
  const args = ['-sS', '-m', '10', '-w', '\\n%{http_version} %{response_code}', ...more, ...target]
  try {
    const { stdout } = await promisify(execFile)('curl', args)
    const end = stdout.lastIndexOf('\n')
    const [version, code] = stdout.slice(end + 1).split(' ')
    return { version, code: Number(code), text: stdout.slice(0, end), error: '' }
  } catch (error) {
    return { version: '', code: 0, text: '', error: (error as { stderr: string }).stderr }
  }
}

/** The serial number of the certificate that a host name is served with; the handshake succeeds only if it is trusted. */
async function servedOn(servername: string, at: number): Promise<string | undefined> {
  const ca = await readFile(pebble.rootFile)
  const socket = connect({ host: '127.0.0.1', port: at, servername, ca })
  await once(socket, 'secureConnect')
  const { serialNumber } = socket.getPeerX509Certificate() ?? {}
  socket.destroy()
  return serialNumber
}

/** An asset that can be played: what it shows does not matter here. */
async function playable(org = orgId): Promise<string> {
  const facts = { title: null, external_ref: null, filename: null, mime_type: null, watermark: null, bytes: 1 }
  const { id } = await assets.insert(db, { id: newId(), org_id: org, ...facts, profile: 'standard_vod' })
  const package_id = newId()
  await playlists.insertMany(db, id, package_id, [{ name: 'master.m3u8', body: '#EXTM3U\n' }])
  await db.query(sql.typeAlias('void')`
    update video.assets set status = 'ready', stage = 'ready', package_id = ${package_id} where id = ${id}`)
  return id
}

t.test('a name is kept as DNS has it, and what can be no domain of theirs is refused by its field', async (t) => {
  const made = await claim(' Bücher.Example. ')
  t.match(made, {
    hostname: 'xn--bcher-kva.example',
    status: 'pending',
    verified_at: null,
    certificate: null,
    dnsRecord: {
      type: 'TXT',
      name: '_millrace-verify.xn--bcher-kva.example',
      value: /^millrace-domain-verification=\w{43}$/,
    },
  })
  const again = await ask('POST /v1/stream/domains', { hostname: 'BÜCHER.example' })
  t.match([again.status, again.body.error], [409, { code: 'domain_exists', details: { id: made.id } }])
  const never = [
    'example',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '::1',
    'localhost',
    'a.localhost',
    '*.a.example',
  ]
  never.push(
    'a..example',
    '-a.example',
    'a_b.example',
    'a.example:80',
    'a.example/x',
    'me@a.example',
    '',
    `${'a.'.repeat(120)}example`,
    'co.uk',
    'github.io',
    'kawasaki.jp',
  )
  for (const hostname of never) {
    const refused = await ask('POST /v1/stream/domains', { hostname })
    t.equal(refused.status, 400, hostname)
    t.strictSame(fieldsOf(refused), ['body.hostname'])
  }
  const own = await first.ask('POST /v1/stream/domains', {
    key: stack.key,
    body: { hostname: 'stream.platform.example' },
    headers: { 'x-forwarded-host': 'stream.platform.example' },
  })
  t.match(own.body.error?.message, /must not be the host of this service/)
  t.equal((await ask(`GET /v1/stream/domains/${made.id}`, undefined, others.main)).status, 404)
  t.equal((await ask(`DELETE /v1/stream/domains/${made.id}`, undefined, others.main)).status, 404)
  t.match((await ask('GET /v1/stream/domains')).body.data, [{ id: made.id, status: 'pending' }])
})

t.test('no proof, another proof and no answer are told apart', async (t) => {
  const domain = await claim('proof.example')
  const { name, value } = domain.dnsRecord
  const missing = await verify(domain.id)
  t.match(
    [missing.status, missing.body.error],
    [409, { code: 'domain_not_proven', message: /There is no TXT record at _mill/ }],
  )
  await pebble.name('set-txt', `${name}.`, { value: 'something else' })
  const wrong = await verify(domain.id)
  t.match(wrong.body.error, {
    code: 'domain_not_proven',
    message: /a different value/,
    details: { name, expected: value, found: ['something else'] },
  })
  await pebble.name('set-servfail', `${name}.`)
  t.match((await verify(domain.id)).body.error, { code: 'dns_lookup_failed', message: /SERVFAIL/ })
  await pebble.name('clear-servfail', `${name}.`)
  t.match(await status(domain.id), { status: 'pending' })
  await publish(domain)
  const proven = await verify(domain.id)
  t.match([proven.status, proven.body], [201, { status: 'verified', certificate: { state: 'ordering' } }])
})

t.test(
  'of two organisations that prove a name at once one has it, and keeps it while its record is there',
  async (t) => {
    const [ours, theirs] = [await claim('race.example'), await claim('race.example', others.main)]
    await Promise.all([publish(ours), publish(theirs)])
    const both = await Promise.all([verify(ours.id), verify(theirs.id, others.main)])
    t.strictSame(both.map(({ status }) => status).sort(), [201, 409])
    t.equal(both.find(({ status }) => status === 409)?.body.error.code, 'domain_taken')
    const weHave = both[0].status === 201
    const [loser, key] = weHave ? [theirs, others.main] : [ours, stack.key]
    await retract(loser)
    await publish(loser)
    t.equal((await verify(loser.id, key)).status, 201, 'whoever has the name now may take it over')
    const [before, beforeKey] = weHave ? [ours, stack.key] : [theirs, others.main]
    t.match((await ask(`GET /v1/stream/domains/${before.id}`, undefined, beforeKey)).body, {
      status: 'pending',
      certificate: null,
    })
  },
)

/** Runs the task of a domain here, as the worker would that its job was left to. */
async function work(id: string, issuer: CertificateIssuer | { lacks: string }): Promise<void> {
  const RunId = sql.type(z.object({ run_id: z.string() }))
  const runId = await db.oneFirst(RunId`select run_id from video.certificates where domain_id = ${id}`)
  const attempt = { db, log, signal: new AbortController().signal, attempt: 1, runId, progress() {} }
  const own = <T>(write: (tx: Db) => Promise<T>) => db.transaction(write)
  const storage = stack.store.storage
  const tools = { ...attempt, own, storage, certificates: issuer, async giveUp() {} }
  for (;;) {
    try {
      return await certifyDomain.run({ domainId: id }, tools)
    } catch (error) {
      if (!(error instanceof Later)) throw error
    }
  }
}

t.test('with no authority set up a proven domain says so', async (t) => {
  const domain = await claim('off.example')
  await publish(domain)
  await verify(domain.id)
  await work(domain.id, await certificateIssuer())
  t.match(await status(domain.id), {
    status: 'verified',
    certificate: { state: 'off', message: /must set ACME_DIRECTORY_URL/, expires_at: null },
  })
})

t.test('after a crash between signing and keeping, the certificate is fetched and none is ordered twice', async (t) => {
  const domain = await claim('crash.example')
  await publish(domain)
  await verify(domain.id)
  const extraRoot = await readFile(pebble.caFile, 'utf8')
  const authority = openAuthority({ directoryUrl: pebble.directoryUrl, contact: null, extraRoot })
  const calls: string[] = []
  let powerFails = true
  const watched: CertificateAuthority = {
    ...authority,
    order(...given) {
      calls.push('order')
      return authority.order(...given)
    },
    finalize(...given) {
      calls.push('finalize')
      return authority.finalize(...given)
    },
    async poll(...given) {
      const order = await authority.poll(...given)
      if (order.status === 'valid' && powerFails) throw new Error('power cut')
      return order
    },
  }
  const issuer = { authority: watched, seal: createSeal(signingSecret, sealPurpose), dns: pebbleDns }
  await t.rejects(work(domain.id, issuer), { message: 'power cut' })
  t.match(await status(domain.id), { status: 'verified', certificate: { state: 'ordering' } })
  powerFails = false
  await work(domain.id, issuer)
  t.match(await status(domain.id), { status: 'active' })
  t.strictSame(calls, ['order', 'finalize'])
})

/** The domain once its certificate is in that state. */
const settled = (id: string, state: string) =>
  until(
    async () => {
      const read = await status(id)
      return read.certificate.state === state && read
    },
    { timeout: 60_000, what: `the certificate is ${state}` },
  )

t.test('a domain that points nowhere costs the authority nothing, and is ordered at once when it does', async (t) => {
  await stack.startWorkers(pebble.environment, 'core')
  const domain = await claim('unpointed.example')
  await publish(domain)
  await pebble.name('set-default-ipv4', '', { ip: '' })
  await verify(domain.id)
  const { certificate } = await settled(domain.id, 'failed')
  t.match(certificate.message, /unpointed.example has no IP address yet/)
  await pebble.name('set-default-ipv4', '', { ip: '127.0.0.1' })
  await verify(domain.id)
  t.match(await settled(domain.id, 'issued'), { status: 'active' })
})

t.test('an authority that refused is spared, however often its owner asks', async (t) => {
  const domain = await claim('elsewhere.example')
  await publish(domain)
  await pebble.name('add-a', 'elsewhere.example.', { addresses: ['127.0.0.2'] })
  await verify(domain.id)
  const { certificate } = await settled(domain.id, 'failed')
  t.match(certificate.message, /could not reach the domain over HTTP, port 80: /)
  const again = await verify(domain.id)
  t.match([again.status, again.body.certificate.state], [201, 'failed'])
  const minutes = (Date.parse(again.body.certificate.next_attempt_at) - Date.now()) / 60_000
  t.ok(minutes > 10 && minutes < 13, `${minutes} minutes`)
})

t.test('a proven domain gets a certificate, and is served with it by every ingress', async (t) => {
  const domain = await claim('video.example')
  await publish(domain)
  t.equal((await verify(domain.id)).status, 201)
  const active = await settled(domain.id, 'issued')
  t.equal(active.status, 'active')
  t.match(active.certificate, { state: 'issued', message: null, next_attempt_at: null })
  const asset = await playable()
  const path = `/v1/stream/assets/${asset}/playback-sessions`
  const minted = (await ask(`POST ${path}`, { host: 'video.example' })).body
  t.match(minted.hlsUrl, /^https:\/\/video\.example\/v1\/stream\/play\//)
  const play = new URL(minted.hlsUrl).pathname

  await t.test('the token plays there, over HTTP/2 and 1.1, on every ingress', async (t) => {
    t.match(await curl('video.example', play), { version: '2', code: 200, text: /^#EXTM3U/ })
    t.match(await curl('video.example', play, { more: ['--http1.1'] }), { version: '1.1', code: 200 })
    t.match(await curl('VIDEO.example', play, { at: secondPort }), { code: 200 })
  })
  await t.test('it plays on no other host, and none but viewers are served there', async (t) => {
    const elsewhere = await first.ask(`GET ${play}`)
    t.match([elsewhere.status, elsewhere.body.error.code], [403, 'host_mismatch'])
    t.equal((await curl('video.example', play, { more: ['-H', 'Host: proof.example'] })).code, 421)
    for (const path of ['/v1/stream/assets', '/ops']) t.equal((await curl('video.example', path)).code, 404, path)
    t.equal((await curl('video.example', '/v1/stream/player/player.js')).code, 200)
  })
  await t.test('for any other name the handshake fails with an alert', async (t) => {
    t.match((await curl('stranger.example', '/')).error, /alert handshake failure/)
    t.match((await curl('127.0.0.1', '/', { more: ['-k'] })).error, /alert handshake failure/)
    t.match(
      (await curl('elsewhere.example', '/')).error,
      /alert handshake failure/,
      'proven, but without a certificate',
    )
  })
  await t.test('nobody shows videos under another organisation’s name', async (t) => {
    const foreign = await playable(other.id)
    const refused = await ask(
      `POST /v1/stream/assets/${foreign}/playback-sessions`,
      { host: 'video.example' },
      others.main,
    )
    t.equal(refused.status, 400)
    await ask(`PATCH /v1/stream/assets/${foreign}`, { visibility: 'public' }, others.main)
    await ask(`PATCH /v1/stream/assets/${asset}`, { visibility: 'public' })
    t.equal((await curl('video.example', `/v1/stream/open/${foreign}/master.m3u8`)).code, 404)
    t.equal((await curl('video.example', `/v1/stream/open/${asset}/master.m3u8`)).code, 200)
  })
  await t.test('files are delivered there', (t) => filesOnDomain(t, stack, curl))
  await t.test('private keys are in the database in no legible form', async (t) => {
    const keys = await db.anyFirst(sql.type(z.object({ key: z.string() }))`
      select key from video.certificates where key is not null
      union all select key from video.acme_accounts`)
    t.ok(keys.length >= 2)
    for (const key of keys) t.ok(isSealed(key), key)
  })
  await t.test('it is renewed when that is due, and the new one is served', async (t) => {
    const chain = sql.type(z.object({ chain: z.string() }))`
      select chain from video.certificates where domain_id = ${domain.id}`
    const before = new X509Certificate(await db.oneFirst(chain)).serialNumber
    for (const at of [port, secondPort]) t.equal(await servedOn('video.example', at), before)
    await db.query(sql.typeAlias('void')`update video.certificates set due_at = now() where domain_id = ${domain.id}`)
    await enqueue(db, renewCertificates, {})
    const after = await until(async () => {
      const { serialNumber } = new X509Certificate(await db.oneFirst(chain))
      return serialNumber !== before && serialNumber
    })
    for (const at of [port, secondPort]) await until(async () => (await servedOn('video.example', at)) === after)
    t.match(await status(domain.id), { status: 'active', certificate: { state: 'issued' } })
  })
  await t.test('operators are told when a renewal fails, and when a certificate has ended', async (t) => {
    const told = async (change: ReturnType<typeof sql.fragment>) => {
      await db.query(sql.typeAlias('void')`update video.certificates set ${change} where domain_id = ${domain.id}`)
      const stop = observeCertificates(db)
      const text = await renderMetrics('prometheus').finally(stop)
      const lines = text.matchAll(/^millrace_domain_certificates\{state="(\w+)"\} (\d+)$/gm)
      return Object.fromEntries([...lines].map(([, state, value]) => [state, Number(value)]))
    }
    const { none, valid, failing, ended } = await told(sql.fragment`failures = 0`)
    const others = { none, valid: valid - 1 }
    t.strictSame(await told(sql.fragment`failures = 1`), { ...others, failing: failing + 1, ended })
    t.strictSame(await told(sql.fragment`not_after = now()`), { ...others, failing, ended: ended + 1 })
  })
  await t.test('once removed, it is served neither to new connections nor to those that there are', async (t) => {
    const client = http2(`https://127.0.0.1:${port}`, {
      servername: 'video.example',
      ca: await readFile(pebble.rootFile),
    })
    t.teardown(() => client.close())
    const statusOf = async () => {
      const stream = client.request({ ':path': play, ':authority': 'video.example' })
      const [headers] = await once(stream.resume(), 'response')
      return headers[':status']
    }
    t.equal(await statusOf(), 200)
    t.equal((await ask(`DELETE /v1/stream/domains/${domain.id}`)).status, 200)
    for (const at of [port, secondPort])
      await until(async () => /handshake/.test((await curl('video.example', '/', { at })).error))
    t.equal(await statusOf(), 421)
    t.equal((await ask(`GET /v1/stream/domains/${domain.id}`)).status, 404)
  })
})
