import { once } from 'node:events'
import { access, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { config } from '#lib/config.ts'
import { getSocketPath, prepareClamd } from '../../ops/embedded/clamd.ts'
import { prepareFreshclam } from '../../ops/embedded/freshclam.ts'
import { watchSignatures } from '../../ops/embedded/signature-watch.ts'
import { clamd, freshclam } from '../../ops/start/parts.ts'
import { supervise } from '../../ops/start/supervise.ts'
import { createClamd } from '../../workers/scan/clamd/clamd.ts'
import { versionsOf } from '../../workers/scan/versions.ts'
import { until } from '../support/until.ts'

const program = '/usr/bin/freshclam'
const areThere = await Promise.all([config.CLAMD_PATH, program].map((path) => access(path))).then(
  () => true,
  () => false,
)
const skip = areThere ? false : `${config.CLAMD_PATH} or ${program} is missing`

/** A signature of a text at any place, in ClamAV's extended format. */
const signatureOf = (name: string, text: string) => `${name}:0:*:${Buffer.from(text).toString('hex')}\n`

/** A server that has one file of signatures. */
async function mirror(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/own.ndb') response.end(signatureOf('Own.Fetched-1', 'a fetched marker'))
    else response.writeHead(404).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The embedded clamd as `npm start` runs it, watched ten times a second. */
async function scanner(t: Test) {
  const dir = join(t.testdir(), 'clamav')
  const stop = new AbortController()
  await watchSignatures(dir, stop.signal, 100)
  const supervised = supervise(clamd({ program: config.CLAMD_PATH, dir, maxBytes: 2 ** 20, threads: 2 }), `${dir}.log`)
  t.teardown(async () => {
    stop.abort()
    await supervised.stop()
  })
  await supervised.ready
  const address = { socket: getSocketPath(dir) }
  const engine = createClamd(address, 2 ** 20)
  return {
    dir,
    verdict: async (text: string) => await engine.scanBytes(Buffer.from(text), AbortSignal.timeout(30_000)),
    version: async () => (await versionsOf(address, engine, AbortSignal.timeout(30_000))).signatures,
  }
}

t.test(
  'what freshclam fetches, and what somebody puts beside it, is loaded under a version of its own',
  { skip },
  async (t) => {
    const { dir, verdict, version } = await scanner(t)
    const url = await mirror(t)
    const none = await version()
    t.equal((await verdict('with a fetched marker inside')).status, 'clean')
    const options = { program, dir, published: false, mirror: undefined, urls: [`${url}/own.ndb`] }
    const fetching = supervise(freshclam(options), `${dir}-freshclam.log`)
    t.teardown(() => fetching.stop())
    await until(async () => (await version()) !== none, { what: 'the fetched set is loaded', timeout: 30_000 })
    const fetched = await version()
    t.strictSame(await verdict('with a fetched marker inside'), {
      status: 'infected',
      signature: 'Own.Fetched-1.UNOFFICIAL',
    })
    await writeFile(join(dir, 'signatures', 'put.ndb'), signatureOf('Own.Put-1', 'a marker by hand'), { mode: 0o600 })
    await until(async () => (await version()) !== fetched, { what: 'the file is loaded', timeout: 30_000 })
    t.strictSame(await verdict('with a marker by hand'), { status: 'infected', signature: 'Own.Put-1.UNOFFICIAL' })
    const localSet = () => readFile(join(dir, 'signatures', 'millrace.ndb'), 'utf8')
    const both = await localSet()
    await prepareClamd({ program: config.CLAMD_PATH, dir, maxBytes: 2 ** 20, threads: 2 })
    t.equal(await localSet(), both, 'the same files have the same version at the next start')
  },
)

t.test('freshclam asks a mirror in place of ClamAV’s servers when there is one', { skip }, async (t) => {
  const dir = join(t.testdir(), 'clamav')
  const settings = async (mirror: string | undefined, published = true) => {
    const { args } = await prepareFreshclam({
      program,
      dir,
      published,
      mirror,
      urls: ['http://a/1.ndb', 'http://a/2.yar'],
    })
    return await readFile(args.at(-1) ?? '', 'utf8')
  }
  t.match(await settings('http://mirror.test/'), /^PrivateMirror http:\/\/mirror\.test$/m)
  t.match(
    await settings('http://mirror.test/'),
    /^DatabaseCustomURL http:\/\/a\/1\.ndb\nDatabaseCustomURL http:\/\/a\/2\.yar$/m,
  )
  t.match(await settings(undefined), /^DatabaseMirror database\.clamav\.net$/m)
  t.notMatch(await settings(undefined), /ExcludeDatabase/)
  t.match(await settings(undefined, false), /^ExcludeDatabase main\nExcludeDatabase daily\nExcludeDatabase bytecode$/m)
})
