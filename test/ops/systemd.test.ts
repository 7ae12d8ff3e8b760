import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { childEnvironment, config } from '#lib/config.ts'
import { workloads } from '../../ops/deploy/kubernetes/workloads.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const unit = fileURLToPath(new URL('../../ops/deploy/systemd/millrace@.service', import.meta.url))
const entry = fileURLToPath(new URL('../../ops/deploy/entry.ts', import.meta.url))

const settingOf = (text: string, name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1]

t.test('a unit gives jobs their grace, starts again for ever and may not more than it needs', async (t) => {
  const text = await readFile(unit, 'utf8')
  const longest = Math.max(...Object.values(workloads).map(({ graceSeconds }) => graceSeconds))
  t.ok(Number(settingOf(text, 'TimeoutStopSec')) > longest)
  t.match(text, /^Restart=always$/m)
  t.equal(settingOf(text, 'RestrictNamespaces'), 'user net', 'what the sandbox makes')
  t.notMatch(text, /^MemoryDenyWriteExecute=/m, 'which no JIT lives with')
  const [folder, env] = [t.testdir({}), childEnvironment({ NO_COLOR: '1' })]
  const copy = join(folder, 'millrace@.service')
  await writeFile(copy, text.replaceAll('/opt/millrace/node_modules/.bin/node', `"${process.execPath}"`))
  const said = await promisify(execFile)('systemd-analyze', ['verify', copy.replace('@', '@ingress')], { env }).catch(
    (error: NodeJS.ErrnoException & { stderr?: string }) => {
      if (error.code === 'ENOENT') return undefined
      throw new Error(error.stderr)
    },
  )
  // Where there is no systemd, the text above is all that can be looked at.
  t.equal(said?.stderr ?? '', '')
})

t.test('backups have a timer each, and mean the stanza that the log is archived to', async (t) => {
  const deploy = new URL('../../ops/deploy/', import.meta.url)
  const read = (name: string) => readFile(new URL(name, deploy), 'utf8')
  const service = await read('systemd/millrace-backup@.service')
  t.equal(settingOf(service, 'ExecStart'), '/usr/bin/pgbackrest --stanza=millrace backup --type=%i')
  const days = await Promise.all(
    ['full', 'diff'].map(async (kind) => settingOf(await read(`systemd/millrace-backup@${kind}.timer`), 'OnCalendar')),
  )
  t.same(days, ['Sun *-*-* 02:00:00 UTC', 'Mon..Sat *-*-* 02:00:00 UTC'], 'one a day')
  t.match(await read('pgbackrest/pgbackrest.conf'), /^\[millrace\]$/m)
  t.match(
    await read('pgbackrest/postgresql.conf'),
    /^archive_command = 'pgbackrest --stanza=millrace archive-push %p'$/m,
  )
})

t.test('a process tells systemd that it is ready once it serves', async (t) => {
  const folder = t.testdir({})
  const said = join(folder, 'said')
  await writeFile(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$@" >>'${said}'\n`)
  await chmod(join(folder, 'systemd-notify'), 0o755)
  const port = await freePort()
  const env = childEnvironment({
    PATH: `${folder}:/usr/bin:/bin`,
    NOTIFY_SOCKET: join(folder, 'socket'),
    MILLRACE_DATA: join(folder, 'data'),
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    STORE_PORT: String(port),
    S3_ACCESS_KEY: 'access',
    S3_SECRET_KEY: 'secret',
    LOG_LEVEL: config.LOG_LEVEL,
  })
  const store = spawn(process.execPath, [entry, 'store'], { env, stdio: 'ignore' })
  const exit = once(store, 'exit')
  t.teardown(() => store.kill('SIGKILL'))
  t.equal(await until(() => readFile(said, 'utf8'), { what: 'it says something', timeout: 60_000 }), '--ready\n')
  t.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 403, 'it serves')
  const health = spawn(process.execPath, [entry, 'health'], { env, stdio: 'ignore' })
  t.same(await once(health, 'exit'), [0, null], 'and is well')
  store.kill('SIGTERM')
  t.same(await exit, [0, null], 'and ends by a signal that nothing stands between')
  const dead = spawn(process.execPath, [entry, 'health'], { env, stdio: 'ignore' })
  t.same(await once(dead, 'exit'), [1, null])
})
