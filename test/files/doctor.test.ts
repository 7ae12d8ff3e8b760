import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import t from 'tap'
import { config } from '#lib/config.ts'
import { checkScanner } from '../../ops/cli/doctor/scanner.ts'
import { getSocketPath } from '../../ops/embedded/clamd.ts'
import { testClamd } from '../support/clamd.ts'
import { commandLine } from '../support/millrace.ts'

t.setTimeout(240_000)
const clamd = await testClamd(t)
const { run } = commandLine('postgres://127.0.0.1:1/none')

/** What doctor finds of clamd with other settings. */
const doctor = (settings: Partial<typeof config>) =>
  checkScanner({ ...config, ...settings }).catch(({ message }: Error) => ({ ok: false, found: message }))

t.test('a clamd with test signatures only is a fault', async (t) => {
  const { out } = await run('doctor --json', { CLAMD_SOCKET: clamd.socket })
  const found = JSON.parse(out).find(({ check }: { check: string }) => check === 'clamd')
  t.match(found, { ok: false, found: /^ClamAV .* only test signatures/, todo: /FRESHCLAM/ })
})

t.test('a clamd with the signatures that ClamAV publishes is well', async (t) => {
  // The real one, but for what it says of its signatures, which are too large for a test.
  const socket = join(dirname(clamd.socket), 'official.sock')
  const server = createServer((client) => {
    client.once('data', (said) => {
      if (said.toString() === 'nVERSION\n') return client.end('ClamAV 1.4.6/27456/Mon Nov 25 2024\n')
      const real = connect(clamd.socket)
      real.write(said)
      client.pipe(real).pipe(client)
    })
  }).listen(socket)
  t.teardown(() => server.close())
  t.match(await doctor({ CLAMD_SOCKET: socket }), { ok: true, found: /^ClamAV 1\.4\.6\/27456/ })
})

t.test(
  'the embedded clamd is asked where a stack has been started, and its program looked for elsewhere',
  async (t) => {
    const data = t.testdir()
    t.match(await doctor({ MILLRACE_DATA: data, CLAMD_PATH: process.execPath }), { ok: true, found: /is installed/ })
    t.match(await doctor({ MILLRACE_DATA: data, CLAMD_PATH: '/nowhere' }), { ok: false, found: /is not installed/ })
    const embedded = getSocketPath(join(data, 'clamav'))
    await mkdir(dirname(embedded), { recursive: true })
    t.teardown(() => rm(dirname(embedded), { recursive: true, force: true }))
    await symlink(clamd.socket, embedded)
    const started = { MILLRACE_DATA: data, CLAMD_PATH: process.execPath }
    await writeFile(join(data, 'dev.json'), '{}', { mode: 0o600 })
    t.match(await doctor(started), { ok: false, found: /only test signatures/ })
    await rm(embedded)
    t.match(await doctor(started), { ok: false, found: /clamd is unavailable/, todo: /npm start/ })
  },
)

t.test('a clamd that is stopped is a fault', async (t) => {
  clamd.freeze()
  t.match(await doctor({ CLAMD_SOCKET: clamd.socket }), { ok: false, found: /respond/ })
  clamd.thaw()
  await clamd.kill()
  t.match(await doctor({ CLAMD_SOCKET: clamd.socket }), { ok: false, found: /clamd is unavailable/ })
})
