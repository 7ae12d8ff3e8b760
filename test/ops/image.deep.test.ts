/** Builds the image on a base that debootstrap makes, as no registry is asked, and runs it. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { ask } from '../support/ingress.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

t.setTimeout(1_800_000)

const root = fileURLToPath(new URL('../..', import.meta.url))
const env = childEnvironment({ STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' })
const run = async (program: string, ...args: string[]) =>
  (await promisify(execFile)(program, args, { cwd: root, env, maxBuffer: 2 ** 28 })).stdout.trim()
const base = 'localhost/millrace-test-base'
const entry = ['/usr/bin/tini', '-s', '--', '/app/node_modules/node/bin/node', '/app/ops/deploy/entry.ts']

/** Why it cannot be built here; false when it can. */
async function obstacle(): Promise<string | false> {
  if (process.getuid?.() !== 0) return 'debootstrap needs root'
  for (const program of ['debootstrap', 'buildah'])
    if ((await run(program, '--version').catch(() => '')) === '') return `there is no ${program}`
  return false
}

const skip = await obstacle()

t.test('the image is built, runs as nobody in particular, does its work and ends by SIGTERM', { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-image-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const bare = join(folder, 'bare')
  await run('debootstrap', '--variant=minbase', 'bookworm', bare, 'http://deb.debian.org/debian')
  await rm(join(bare, 'var/cache/apt/archives'), { recursive: true, force: true })
  const scratch = await run('buildah', 'from', 'scratch')
  await run('buildah', 'add', '-q', scratch, bare, '/')
  await run('buildah', 'commit', '-q', '--rm', scratch, base)

  const ca = env.NODE_EXTRA_CA_CERTS ? ['--secret', `id=ca,src=${env.NODE_EXTRA_CA_CERTS}`] : []
  const file = ['--format', 'docker', '-f', 'ops/deploy/Containerfile', '-t', 'localhost/millrace-test']
  await run('buildah', 'build', '--build-arg', `BASE=${base}`, ...ca, ...file, '.')
  const { config } = JSON.parse(await run('buildah', 'inspect', '--type', 'image', 'localhost/millrace-test')).Docker
  t.match(config, {
    User: '10001:10001',
    StopSignal: 'SIGTERM',
    Healthcheck: { Test: ['CMD'] },
    Volumes: { '/data': {} },
  })
  t.notMatch(JSON.stringify(config), /SECRET|PASSWORD|TOKEN/, 'it holds no secret')

  const container = await run('buildah', 'from', 'localhost/millrace-test')
  t.teardown(() => run('buildah', 'rm', container))
  const data = join(folder, 'data')
  await run('install', '-d', '-m', '700', data)
  await chown(data, 10_001, 10_001)
  const [port, storePort] = [await freePort(), await freePort()]
  const settings = { HOST: '127.0.0.1', PORT: port, STORE_PORT: storePort, FRESHCLAM: 'false', TOUR: 'false' }
  const given = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const place = ['--user', '10001:10001', ...given, '-v', `${data}:/data`, container, '--', ...entry]
  const all = spawn('buildah', ['run', ...place, 'all'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(all, 'exit')
  let said = ''
  all.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  await until(() => said.includes(' ready after '), { timeout: 240_000, what: 'all of it is ready' })
  const url = `http://127.0.0.1:${port}`
  t.match(await ask(url, 'GET /readyz'), { status: 200, body: { parts: { database: 'ok', storage: 'ok' } } })
  const key = /key send: (\S+)/.exec(said)?.[1] ?? ''
  const mail = {
    stream: 'transactional',
    from: { email: 'a@dev.example' },
    to: 'ann@example.net',
    subject: 'A',
    text: 'B',
  }
  const sent = await ask(url, 'POST /send/v1/messages', { key, body: mail, headers: { prefer: 'wait=30' } })
  t.match(sent, { status: 202, body: { status: 'sent' } }, 'a worker has done its job')
  await run('buildah', 'run', ...place, 'health')
  t.pass('it is healthy')

  // What buildah started: signals to buildah itself end nothing else.
  const tini = (await run('pgrep', '-f', `^${entry.join(' ')} all$`)).split('\n').map(Number)
  t.equal(tini.length, 1)
  t.match(await readFile(`/proc/${tini[0]}/status`, 'utf8'), /^Uid:\s+10001/m)
  process.kill(tini[0] as number, 'SIGTERM')
  t.same(await exit, [0, null])
  t.match(said, /stopping on SIGTERM[\s\S]*stopped/)
  await t.rejects(run('buildah', 'run', ...place, 'health'), 'and is not any more')
})
