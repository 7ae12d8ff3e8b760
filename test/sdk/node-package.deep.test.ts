import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { Millrace } from '../../sdk/node/src/index.ts'
import { chromiumPath, startBrowser, watchedPage } from '../support/browser.ts'
import { served } from './served.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const modules = join(root, 'node_modules')
const folder = await mkdtemp(join(tmpdir(), 'millrace-sdk-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
t.setTimeout(400_000)

/** A project that has installed the package as it is packed. */
const project = join(folder, 'project')
const sdk = join(folder, 'sdk')
await mkdir(project)
await cp(join(root, 'sdk/node'), sdk, { recursive: true, filter: (path) => !/\/(dist|node_modules)$/.test(path) })
await symlink(modules, join(sdk, 'node_modules'))
const env = { ...process.env, PATH: [join(modules, '.bin'), process.env.PATH].join(delimiter) }
await run('npm', ['pack', '--pack-destination', folder], { cwd: sdk, env })
await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
const packed = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, packed)], { cwd: project, env })
const installed = join(project, 'node_modules/millrace')

const { baseUrl, keys } = await served(t)

t.test('the package has its builds, types and guide, and depends on nothing', async (t) => {
  const { dependencies, version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  t.equal(dependencies, undefined)
  t.same(await readdir(join(project, 'node_modules')), ['.bin', '.package-lock.json', 'millrace'])
  t.same((await readdir(installed)).sort(), ['OUTBOX.md', 'REACT.md', 'README.md', 'dist', 'package.json'])
  const transport = await readFile(join(installed, 'dist/esm/transport.js'), 'utf8')
  t.ok(transport.includes(`millrace-node/${version}`), 'it says its version')
})

t.test('its core needs nothing that only Node has', async (t) => {
  for (const path of await readdir(join(installed, 'dist/esm'), { recursive: true })) {
    if (!path.endsWith('.js') || /^(outbox|react|cli|mcp)\//.test(path) || path === 'node.js') continue
    const text = await readFile(join(installed, 'dist/esm', path), 'utf8')
    t.notMatch(text, /from ['"](?!\.)|require\(|\b(process|Buffer)\./, path)
  }
})

t.test('import and require find it, in every Node of this machine', async (t) => {
  const use = `const client = new Millrace({ baseUrl: 'http://127.0.0.1' })
if (typeof client.push.send !== 'function' || typeof fileSource !== 'function') throw new Error('no client')
console.log(client, 'works')\n`
  const imports = "import { Millrace } from 'millrace'\nimport { fileSource } from 'millrace/node'\n"
  const requires = "const { Millrace } = require('millrace')\nconst { fileSource } = require('millrace/node')\n"
  await writeFile(join(project, 'use.mjs'), imports + use)
  await writeFile(join(project, 'use.cjs'), requires + use)
  for (const node of [process.execPath, ...(await otherNodes())]) {
    for (const file of ['use.mjs', 'use.cjs']) {
      t.match((await run(node, [file], { cwd: project })).stdout, /works/, `${node} ${file}`)
    }
  }
})

t.test('TypeScript finds its types in both module systems, without those of Node', async (t) => {
  const text = `import { Millrace, NotFoundError, webhooks, type PushMessage } from 'millrace'
export async function use(client: Millrace): Promise<PushMessage> {
  const { id } = await client.push.send({ app_id: 'a', target: { type: 'user', id: 'u' } }, { idempotencyKey: 'k' })
  for await (const app of client.push.listApps({ limit: 10 })) app.name.toUpperCase()
  for (const app of (await client.push.listApps()).data) app.name.toUpperCase()
  const answer = await client.bots.chat.create('b', { message: 'Hello' })
  answer.conversation_id.toUpperCase()
  for await (const { event } of client.bots.chat.create('b', { message: 'Hello', stream: true })) event.toUpperCase()
  await webhooks.verify('', new Headers(), ['one', 'two'])
  // @ts-expect-error: a field that is not there
  await client.push.send({ app_id: 'a', target: { type: 'user', id: 'u' }, titel: '' })
  // @ts-expect-error: takes no idempotency key
  await client.push.getMessage(id, { idempotencyKey: 'k' })
  return await client.push.getMessage(id).catch((error) => {
    throw error instanceof NotFoundError ? new Error(error.code) : error
  })
}
`
  await writeFile(join(project, 'typed.mts'), text)
  await writeFile(join(project, 'typed.cts'), text)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    types: [],
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
  }
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['typed.mts', 'typed.cts'] }),
  )
  const said = await run('tsc', ['-p', project], { env }).catch((error) => error)
  t.equal(said.stdout, '')
})

t.test('the examples do what they say', async (t) => {
  await cp(join(root, 'sdk/node/examples'), project, { recursive: true })
  const clip = join(folder, 'clip.mp4')
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=duration=1:size=160x120:rate=10', '-pix_fmt', 'yuv420p']
  await run('ffmpeg', ['-nostdin', '-y', '-v', 'error', ...picture, clip])
  const example = async (name: string, key: string | undefined, ...more: (string | undefined)[]) => {
    const env = { ...process.env, MILLRACE_BASE_URL: `${baseUrl}/v1`, MILLRACE_API_KEY: key }
    const [oldest = process.execPath] = await otherNodes()
    return (await run(oldest, [name, ...more.map(String)], { cwd: project, env })).stdout
  }
  t.match(await example('push.mjs', keys.millrace), /received Shipped\nis sent\ndelivery delivered/)
  t.match(await example('inbox.mjs', keys.millrace), /event item\ninbox Your order is on its way\nrefused query.limit/)
  t.match(await example('sign-up.mjs', keys.millrace, keys.guard_site), /first valid\nsecond replayed/)
  t.match(await example('video.mjs', keys.millrace, clip), /sent 100 %\nplays at http/)
})

t.test('a page passes the guard and watches an inbox with it, from another origin', async (t) => {
  const page = createServer(async (request, response) => {
    const file = join(installed, 'dist/esm', request.url ?? '')
    const type = request.url === '/' ? 'text/html' : 'text/javascript'
    response.setHeader('content-type', type).end(request.url === '/' ? '' : await readFile(file).catch(() => ''))
  })
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    page.closeAllConnections()
    page.close()
  })
  const origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
  const server = (apiKey: string | undefined) => new Millrace({ baseUrl, apiKey })
  const { site_key } = await server(keys.guard_server).guard.sites.create({ name: 'page', origins: [origin] })
  const user_id = randomUUID()
  const { token } = await server(keys.platform).notify.stream.createToken({ user_id })
  const inPage = `async ({ baseUrl, site_key, user_id, token }) => {
    const { Millrace } = await import('/index.js')
    const earned = await new Millrace({ baseUrl, apiKey: site_key }).guardToken('sign-up')
    const watched = new Millrace({ baseUrl }).notify.stream.watch({ user_id, token, last_event_id: '0' })
    for await (const { event, data } of watched) if (event === 'item') return { token: earned.token, title: data.title }
  }`
  const { page: shown, errors } = await watchedPage(await startBrowser(t, chromiumPath))
  await shown.goto(origin)
  const result = shown.evaluate(`(${inPage})(${JSON.stringify({ baseUrl, site_key, user_id, token })})`)
  const event = { product_key: 'shop', type: 'order.shipped', subject_user_id: user_id, title: 'Shipped' }
  await server(keys.platform).notify.events.create(event)
  const said = (await result) as { token: string; title: string }
  t.match(said, { title: 'Shipped' })
  const spent = await server(keys.guard_server).guard.tokens.verify({ token: said.token, action: 'sign-up' })
  t.match(spent, { valid: true })
  t.same(
    errors.filter((error) => !error.includes('favicon')),
    [],
  )
})

/** The machine's own Nodes beside the one of node_modules. */
async function otherNodes(): Promise<string[]> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
  const found = await Promise.all(
    folders.map(async (path) => {
      const names: string[] = await readdir(path).catch(() => [])
      return names.includes('node') ? [join(path, 'node')] : []
    }),
  )
  return found.flat()
}
