import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress } from '../support/ingress.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
t.setTimeout(240_000)
await run('bash', ['sdk/pack.sh'], { cwd: root })
const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['docs', 'push'] })
const folder = await mkdtemp(join(tmpdir(), 'millrace-packages-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

/** The address of a package as the documentation shows it. */
const offered = async (command: string) =>
  new RegExp(`${command} (http[^<\\s]+)<`).exec(
    (await ask(url, 'GET /docs', { headers: { accept: 'text/html' } })).text,
  )?.[1] ?? ''

t.test('npm installs the client from the server, and it works', async (t) => {
  const address = await offered('npm i')
  t.equal(address, `${url}/sdk/node.tgz`)
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  // npm looks for optional peers such as React in the registry, and installs the package without them.
  const apart = ['--cache', join(folder, 'cache'), '--registry', 'http://127.0.0.1:9/', '--fetch-retries', '0']
  await run('npm', ['install', '--no-audit', '--no-fund', ...apart, address], { cwd: folder })
  t.same(await readdir(join(folder, 'node_modules')), ['.bin', '.package-lock.json', 'millrace'])
  const use = `import { Millrace } from 'millrace'
const client = new Millrace({ baseUrl: '${url}', apiKey: 'bt_live_none' })
await client.push.createApp({ name: 'Shop' }).catch((error) => console.log(error.name))\n`
  await writeFile(join(folder, 'use.mjs'), use)
  t.match((await run('node', ['use.mjs'], { cwd: folder })).stdout, /UnauthorizedError/)
  const { stdout } = await run('npx', ['--no-install', 'millrace-cli', 'completion', 'bash'], { cwd: folder })
  t.match(stdout, /complete -F _millrace_cli millrace-cli\n/)
})

t.test('pip installs the client from the server without a network', async (t) => {
  const address = await offered('pip install')
  t.match(address, new RegExp(`^${url}/sdk/millrace-[\\d.]+-py3-none-any\\.whl$`))
  await run('python3', ['-m', 'venv', '--system-site-packages', join(folder, 'venv')])
  const pip = [
    '-m',
    'pip',
    'install',
    '--no-deps',
    '--no-index',
    '--disable-pip-version-check',
    '--no-cache-dir',
    address,
  ]
  const python = join(folder, 'venv/bin/python')
  await run(python, pip)
  const facts = 'import importlib.metadata as m; print(m.version("millrace"), m.requires("millrace"))'
  t.match((await run(python, ['-c', facts])).stdout, /^\d+\.\d+\.\d+ \['httpx/)
  t.match((await run(python, ['-m', 'pip', 'show', '--files', 'millrace'])).stdout, /millrace\/_sync\/client\.py/)
})

t.test('the clients for PHP and Go are complete archives', async (t) => {
  for (const [name, expected] of [
    ['php', ['composer.json', 'autoload.php', 'src/Client.php', 'src/Areas/Push.php']],
    ['go', ['./go.mod', './client.go', './areas_push.go']],
  ] as const) {
    const at = join(folder, name)
    const answer = await fetch(`${url}/sdk/${name}.tgz`)
    t.equal(answer.headers.get('content-type'), 'application/gzip')
    await writeFile(`${at}.tgz`, new Uint8Array(await answer.arrayBuffer()))
    const names = (await run('tar', ['tzf', `${at}.tgz`])).stdout.split('\n')
    t.same(
      expected.filter((one) => !names.includes(one)),
      [],
      name,
    )
  }
  await run('bash', ['-c', 'mkdir millrace && tar xzf php.tgz -C millrace'], { cwd: folder })
  const use = `require 'millrace/autoload.php';
try { (new Millrace\\Client('${url}', 'bt_live_none'))->push->createApp(['name' => 'Shop']); }
catch (Millrace\\Exceptions\\UnauthorizedException $e) { echo $e->errorCode; }`
  t.equal((await run('php', ['-r', use], { cwd: folder })).stdout, 'unauthorized')
})

t.test('a package is not sent again if it has not changed, and no other file is served', async (t) => {
  const first = await ask(url, 'GET /sdk/node.tgz')
  t.equal(first.status, 200)
  const tag = first.headers.get('etag') ?? ''
  t.equal((await ask(url, 'GET /sdk/node.tgz', { headers: { 'if-none-match': tag } })).status, 304)
  t.match((await ask(url, 'GET /sdk/python.whl')).headers.get('location'), /^\/sdk\/millrace-.*\.whl$/)
  for (const name of ['.sources', '..%2Fpack.sh', 'pack.sh', 'other.tgz'])
    t.equal((await ask(url, `GET /sdk/${name}`)).status, 404, name)
})
