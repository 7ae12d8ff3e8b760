import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { z } from 'zod'
import { childEnvironment } from '#lib/config.ts'
import { sql } from '#sql/db.ts'
import { film, h264 } from '../media/sources.ts'
import { program as millrace } from '../support/millrace.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

/** As in most containers: root, that may make no namespace of any kind. */
const container = [
  ...['unshare', '-Ur', 'sh', '-c'],
  'echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --bounding-set -sys_admin -- "$@"',
  'sh',
]

const execute = promisify(execFile)
const [first = '', ...rest] = [...container, 'true']
const skip = await execute(first, rest).then(
  () => false as const,
  () => 'no user namespace can be made here',
)

t.test('where ffmpeg and unpackers cannot be walled off, nothing of a stranger is opened', { skip }, async (t) => {
  const stack = await videoStack(t, { areas: ['service', 'console'] })
  const port = await freePort()
  const settings = { SANDBOX: 'on', CLAMD_SOCKET: '/nowhere.sock', METRICS_PORT: String(port) }
  const workers = await stack.startWorkers(settings, 'core,media-intake,media,scan,webhooks', container)
  const said = workers.lines.join('\n')
  for (const pool of ['media-intake', 'media', 'scan'])
    t.match(
      said,
      new RegExp(`pool ${pool} is off here, its jobs wait: .*unshare.*Operation not permitted.*SANDBOX=off`),
    )
  t.match(said, /workers ready: core\b.*/, 'what needs no wall goes on')

  const health = await (await fetch(`http://127.0.0.1:${port}/healthz`)).json()
  t.match(health, { status: 'degraded', off: { media: /unshare/, 'media-intake': /unshare/, scan: /unshare/ } })
  const video = await stack.ask('GET /v1/stream/health')
  t.match(video, { status: 200, body: { status: 'degraded', workers: 'away', notice: /media-intake and media/ } })

  const doctor = async (environment: Record<string, string>) => {
    const [command = '', ...args] = [...container, millrace, 'doctor', '--json']
    const env = childEnvironment({ DATABASE_URL: stack.databaseUrl, ...environment })
    const { stdout } = await execute(command, args, { env }).catch((error: { stdout: string }) => error)
    return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'sandbox')
  }
  t.match(await doctor({ SANDBOX: 'on' }), { ok: false, found: /unshare/, todo: /ops\/deploy\/README\.md/ })
  t.match(await doctor({ SANDBOX: 'off' }), { ok: true, found: /SANDBOX=off/ })

  const source = await film(join(stack.data, 'film.mp4'), 'testsrc2=s=160x90:r=24:d=2', { codec: h264 })
  const assetId = await stack.send(source)
  const Job = z.object({ attempts: z.number(), locked: z.boolean() })
  const jobs = await stack.db.any(sql.type(Job)`
    select attempts, locked_at is not null as locked from jobs_media_intake._private_jobs`)
  t.same(jobs, [{ attempts: 0, locked: false }], 'its job waits, and nothing of it is spent')
  await workers.stop()

  await stack.startWorkers({ SANDBOX: 'off' }, undefined, container)
  await stack.ready(assetId)
  t.pass('an operator may waive it')
  const well = async () => (await stack.ask('GET /v1/stream/health')).body.status === 'ok'
  await until(well, { what: 'health is well' })
})
