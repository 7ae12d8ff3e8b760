import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { Millrace } from '../../sdk/node/src/index.ts'
import { layCable } from '../support/cable.ts'
import { filesStack } from '../support/files-stack.ts'
import { readGuide } from '../support/guide.ts'
import { testOrg } from '../support/ingress.ts'
import { addDomain } from '../support/mail-stack.ts'
import { runGuide } from '../support/run-guide.ts'
import { until } from '../support/until.ts'
import { noise } from '../support/video-stack.ts'
import { newComputer, program } from './cli.ts'

t.setTimeout(240_000)
const { base, startWorkers } = await filesStack(t, { areas: ['account', 'email'] })
const { ingress, db, store } = base
const scopes = [
  ...['account:webhooks', 'account:keys'],
  ...['files:read', 'files:write', 'stream:read', 'stream:write', 'email:send', 'email:manage'],
]
const prefixes = { live: { prefix: 'bt_live_', scopes }, test: { prefix: 'bt_test_', scopes } } as const
const { org, keys } = await testOrg(db, [], { keys: { ...prefixes } })
await addDomain(db, org.id, 'shop.example')
await startWorkers()
const environment = { MILLRACE_BASE_URL: ingress.url, MILLRACE_API_KEY: keys.live }
const client = new Millrace({ baseUrl: ingress.url, apiKey: keys.live })

t.test('a small file is scanned, and the verdict is the exit status', async (t) => {
  const { home, run } = await newComputer(t, environment)
  const path = join(home, 'letter.txt')
  await writeFile(path, 'A letter.')
  const said = await run(['upload', path, '--wait', '--tenant', 'acme', '--folder', 'letters'])
  t.match(said, { code: 0, err: /Uploaded 9 B\.\nScan: clean\.\n/ }, said.err)
  const object = await client.files.objects.read(said.out.trim(), { tenant_id: 'acme' })
  t.match(object, { filename: 'letter.txt', content_type: 'text/plain', folder: 'letters', product_key: 'cli' })
  const eicar = join(home, 'eicar.txt')
  await writeFile(eicar, ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''))
  const bad = await run(['upload', eicar, '--wait', '--json'])
  t.equal(bad.code, 3, bad.err)
  t.match(JSON.parse(bad.out), { scan_status: 'infected' })
  t.match(await run(['upload', home]), { code: 1, err: /is not a file\./ })
  t.match(await run(['upload', join(home, 'none')]), { code: 1, err: /cannot be read: ENOENT/ })
})

t.test('an upload that is killed continues with the missing parts', async (t) => {
  const { home, start, run } = await newComputer(t, environment)
  const path = join(home, 'noise.bin')
  const content = noise(40 * 1024 * 1024)
  await writeFile(path, content)
  for (const kind of ['file', 'video'] as const) {
    const line = ['upload', path, ...(kind === 'video' ? ['--video', '--title', 'Noise'] : [])]
    const sessions = join(home, 'state/millrace/uploads')
    const first = start(line)
    const id = await until(async () => (await readdir(sessions)).find((name) => name.endsWith('.json')), { every: 5 })
    await first.kill('SIGKILL')
    t.same(await readdir(sessions), [id], 'the session is stored')
    const second = await run([...line, '--json'])
    t.equal(second.code, 0, second.err)
    t.same(await readdir(sessions), [], 'the session is removed')
    const body = JSON.parse(second.out)
    if (kind === 'video') t.match(body, { title: 'Noise', bytes: content.length })
    else t.match(body, { byte_size: content.length, filename: 'noise.bin' })
    const { data } =
      kind === 'video' ? await client.video.assets.list() : await client.files.objects.list({ tenant_id: 'default' })
    const same = data.filter((one) => ('filename' in one ? one.filename : '') === 'noise.bin')
    t.equal(same.length, 1, `${kind}: the upload was continued and not repeated`)
  }
})

t.test(
  'an upload continues after a cut, and starts again if the server has deleted it or the file changes',
  async (t) => {
    const cable = await layCable(t, ingress.url)
    const { home, start, run } = await newComputer(t, {
      ...environment,
      MILLRACE_BASE_URL: cable.url.replace(/\/$/, ''),
    })
    const path = join(home, 'other.bin')
    const sessions = join(home, 'state/millrace/uploads')
    await mkdir(sessions, { recursive: true })
    await writeFile(path, noise(40 * 1024 * 1024))
    const first = start(['upload', path])
    await until(async () => (await readdir(sessions)).some((name) => name.endsWith('.json')), { every: 5 })
    cable.cut()
    const said = await first.ended()
    t.match(said, { code: 1, err: /interrupted/ })
    cable.mend()
    const { data } = await client.files.objects.list({ tenant_id: 'default' })
    const [begun] = data.filter(({ filename }) => filename === 'other.bin')
    await client.files.objects.remove(begun?.object_id ?? '', {})
    const second = await run(['upload', path])
    t.equal(second.code, 0, second.err)
    t.not(second.out.trim(), begun?.object_id)
    await writeFile(path, noise(21 * 1024 * 1024))
    const third = await run(['upload', path])
    t.equal(third.code, 0, third.err)
    t.not(third.out, second.out)
    t.ok(store.url)
  },
)

t.test('send prints the ID, and --wait follows the status', async (t) => {
  const { home, run } = await newComputer(t, { ...environment, MILLRACE_API_KEY: keys.test })
  const message = ['--from', 'Shop <shop@shop.example>', '--to', 'ann@example.org', '--subject', 'Hello']
  const plain = await run(['send', ...message], {}, 'From the standard input\n')
  t.match(plain, { code: 0, out: /^[0-9a-f-]{36}\n$/ }, plain.err)
  const path = join(home, 'report.html')
  await writeFile(path, '<p>Report</p>')
  const waited = await run(['send', ...message, '--file', path, '--attach', path, '--wait'])
  t.match(waited, { code: 0, err: /Status: sent\.\n/ }, waited.err)
  const sent = await new Millrace({ baseUrl: ingress.url, apiKey: keys.test }).email.messages.read(waited.out.trim())
  t.match(sent, {
    from: { email: 'shop@shop.example', name: 'Shop' },
    to: 'ann@example.org',
    subject: 'Hello',
    sandbox: true,
  })
  const again = ['send', ...message, '--text', 'x', '--idempotency-key', 'one', '--json']
  t.equal(JSON.parse((await run(again)).out).id, JSON.parse((await run(again)).out).id)
  const foreign = await run(['send', '--from', 'a@gmail.com', '--to', 'b', '--subject', 'x', '--text', 'y'])
  t.match(foreign, { code: 1, err: /body\.to/ })
  t.match(await run(['send', ...message, '--file', path, '--text', 'x']), { code: 2, err: /Use --file without --text/ })
})

t.test('the examples of the guide run as written', async (t) => {
  const folder = t.testdir({
    bin: {
      npm: '#!/bin/sh\n',
      npx: `#!/bin/sh\nshift\nexec '${process.execPath}' '${program}' "$@"\n`,
    },
  })
  for (const name of ['npm', 'npx']) await chmod(join(folder, 'bin', name), 0o755)
  const guide = await readGuide('ingress/docs/site/pages/cli.md')
  const computer = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder }
  const common = { folder, baseUrl: ingress.url, environment: computer }
  const upload = 'Upload a file or a video'
  const steps = await runGuide(guide, { ...common, apiKey: keys.test, only: ({ heading }) => heading !== upload })
  const [uploaded] = await runGuide(guide, { ...common, apiKey: keys.live, sections: [upload] })
  t.match(uploaded, { err: /Scan: clean\./ })
  const outputs = steps.map(({ out }) => out).join('')
  for (const text of [/^Organisation /m, /^Sent email\.bounced/m, /"name":"shop"/]) t.match(outputs, text)
})
