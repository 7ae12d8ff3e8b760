import { execFile } from 'node:child_process'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { commands } from '../../sdk/node/src/cli/commands.ts'
import { helpOf } from '../../sdk/node/src/cli/help.ts'
import { run } from '../../sdk/node/src/cli/run.ts'
import { signedIn, submit } from '../app/fixture.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { signingSecret } from '../support/signing-secret.ts'
import { newComputer } from './cli.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], {
  only: ['app', 'account', 'email', 'push'],
  services: [provide(services.signingSecret, signingSecret)],
})
const { org, keys: issued } = await testOrg(db, ['account:read', 'account:keys', 'push:manage'])
const owner = await signedIn(db, url, org.id, 'owner')

const profileOf = async (home: string, name = 'default') => {
  const path = join(home, 'config/millrace/profiles', `${name}.json`)
  return { path, profile: JSON.parse(await readFile(path, 'utf8')) }
}

const decide = (code: string, decision: string, scopes: string[]) =>
  submit(url, '/app/device', owner, { code, decision, name: 'laptop', expires_days: '90', scopes })

t.test('a member confirms a login, and only this user can read the key', async (t) => {
  const { home, start, run } = await newComputer(t)
  const login = start(['login', '--url', url, '--scopes', 'account:read,email:send'])
  const [, link = ''] = await login.says(/(http\S+\/app\/device\?code=\S+)/)
  const [, code = ''] = await login.says(/Code: ([A-Z]{4}-[A-Z]{4})/)
  t.match(link, code)
  t.equal((await decide(code, 'approve', ['account:read', 'email:send'])).status, 200)
  const said = await login.ended()
  t.match(said, { code: 0, out: /^Logged in to .* with the test key bt_test_.{4}…\.\n$/ }, said.err)
  const { path, profile } = await profileOf(home)
  t.match(profile, {
    url,
    key: /^bt_test_/,
    mode: 'test',
    scopes: ['account:read', 'email:send'],
    dashboard: `${url}/app`,
  })
  t.notMatch(said.out + said.err, profile.key, 'the key is not printed')
  t.equal((await stat(path)).mode & 0o777, 0o600)
  for (const folder of ['config/millrace', 'config/millrace/profiles']) {
    t.equal((await stat(join(home, folder))).mode & 0o077, 0, folder)
  }
  t.same(await readdir(join(home, 'config/millrace/profiles')), ['default.json'], 'no temporary file is left')

  const who = await run(['whoami', '--json'])
  t.match(JSON.parse(who.out), { url, key: { name: 'laptop', mode: 'test' }, organisation: { id: org.id } })
  t.match((await run(['whoami'])).out, /Organisation +test unlimited .*\nKey +laptop \(bt_test_/)
  t.match((await run(['profiles'])).out, /^\* default +http/)
  t.match((await run(['open', 'keys', '--print'])).out, `${url}/app/keys`)

  await chmod(path, 0o644)
  await run(['whoami'])
  t.equal((await stat(path)).mode & 0o777, 0o600, 'access of other users is removed')

  const refused = await run(['api', 'GET', '/send/v1/domains'])
  t.match(refused, {
    code: 1,
    err: /does not have the `email:manage` scope.*\n {2}(Log in again|Replace the key).*--add-scopes email:manage/,
  })
  t.match(refused.err, /Request: \S+/)

  const out = await run(['logout'])
  t.match(out, {
    code: 0,
    out: /Logged out of profile default/,
    err: /was not revoked\. It does not have the `account:keys` scope/,
  })
  t.match(await run(['whoami']), { code: 1, err: /You are not logged in\. Run `millrace-cli login --url URL`/ })
})

t.test('a denied login stores nothing', async (t) => {
  const { home, start } = await newComputer(t)
  const login = start(['login', '--url', url, '--json'])
  const { user_code } = JSON.parse((await login.says(/^\{.*\}$/m))[0])
  await decide(user_code, 'deny', [])
  const said = await login.ended()
  t.equal(said.code, 1)
  t.match(JSON.parse(said.err.trim().split('\n').at(-1) ?? '').error.message, /denied/)
  t.same(await readdir(home), [])
})

t.test('Ctrl-C ends a waiting login', async (t) => {
  const { start } = await newComputer(t)
  const login = start(['login', '--url', url])
  await login.says(/Code: /)
  t.equal((await login.kill('SIGINT')).code, 130)
})

t.test('a key of the standard input is a profile, which logout revokes', async (t) => {
  const { home, run } = await newComputer(t)
  const { keys: own } = await testOrg(db, ['account:keys'])
  const login = await run(['login', '--url', url, '--with-key', '--profile', 'ci'], {}, `${own.main}\n`)
  t.equal(login.code, 0, login.err)
  t.match((await profileOf(home, 'ci')).profile, { key: own.main, mode: 'live' })
  t.match(await run(['login', '--url', url, '--with-key'], {}, 'bt_live_wrong-key-of-nobody'), {
    code: 1,
    err: /Log in again/,
  })
  t.match(await run(['whoami', '--json'], { MILLRACE_PROFILE: 'ci' }), { code: 0 })
  const out = await run(['logout', '--profile', 'ci'])
  t.match(out, { code: 0, out: /Logged out of profile ci\.\nThe key bt_live_.{4}… was revoked\./ })
  t.equal((await ask(url, 'GET /v1/account/whoami', { key: own.main })).status, 401)
  t.match(await run(['logout', '--profile', 'ci']), { code: 1, err: /profile ci does not exist/ })
})

t.test('the environment replaces the profile, and a key is sent only to its server', async (t) => {
  const { run } = await newComputer(t)
  const requests: (string | undefined)[] = []
  const other = createServer((request, response) => {
    requests.push(request.headers.authorization)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  await run(['login', '--url', url, '--with-key'], {}, issued.main)
  t.match(await run(['whoami'], { MILLRACE_BASE_URL: elsewhere }), { code: 1, err: /so its key is not sent/ })
  t.same(requests, [])
  for (const path of ['//evil.example/v1', '@evil.example/', 'https://evil.example/', '.evil.example/']) {
    t.match(await run(['api', 'GET', path], { MILLRACE_BASE_URL: elsewhere, MILLRACE_API_KEY: 'bt_test_x' }), {
      code: /[12]/,
    } as never)
  }
  t.match(
    (await run(['whoami'], { MILLRACE_API_KEY: 'bt_test_nobody' })).err,
    /Replace the key in MILLRACE_API_KEY, or unset it and log in again: millrace-cli login/,
  )
  t.match(
    (await run(['whoami'], { MILLRACE_BASE_URL: 'nonsense' })).err,
    /MILLRACE_BASE_URL must be an http or https URL/,
  )
  t.match(
    (await run(['whoami'], { MILLRACE_BASE_URL: 'http://127.0.0.1:9', MILLRACE_API_KEY: 'bt_test_x' })).err,
    /received no response.*\n {2}Check the URL of the server and the network\./,
  )
  const both = { MILLRACE_BASE_URL: url, MILLRACE_API_KEY: issued.main }
  t.match((await run(['whoami'], both)).out, /Login +environment/)
  t.match(
    (await run(['whoami', '--profile', 'default'], { ...both, MILLRACE_API_KEY: 'wrong' })).out,
    /profile default/,
  )
})

t.test('api calls operations, and shows every invalid field', async (t) => {
  const { home, run } = await newComputer(t, { MILLRACE_BASE_URL: `${url}/v1`, MILLRACE_API_KEY: issued.main })
  const made = await run(['api', 'POST', '/push/v1/apps', '-d', '-', '-i'], {}, '{"name":"Shop"}')
  t.match(made, { code: 0, out: /^201 Created\n.*\n\n\{.*"name":"Shop"/s }, made.err)
  const file = join(home, 'app.json')
  await writeFile(file, '{"name":"Second"}')
  t.equal((await run(['api', 'post', '/push/v1/apps', '--data', `@${file}`])).code, 0)
  const list = await run(['api', 'GET', '/push/v1/apps', '-q', 'limit=1'])
  t.equal(JSON.parse(list.out).data.length, 1)
  const wrong = await run(['api', 'POST', '/v1/account/keys', '-d', '{"name":"","scopes":["x"],"secret_field":1}'])
  t.equal(wrong.code, 1)
  t.match(wrong.err, /^millrace-cli: The API rejected the request\. 3 fields are invalid\.\n/)
  for (const field of ['body.name', 'body.scopes.0', 'body.secret_field']) t.match(wrong.err, `\n  ${field} `)
  t.match(wrong.err, /\n {2}Request: \S+\n$/)
  const asJson = await run(['api', 'GET', '/push/v1/apps/none', '--json'])
  t.match(JSON.parse(asJson.err), { error: { status: 404, request_id: /./ } })
  t.match(await run(['api', 'GET', '/push/v1/apps'], { MILLRACE_BASE_URL: 'http://127.0.0.1:9' }), {
    code: 1,
    err: /cannot be reached/,
  })
})

t.test('a wrong command line names the fault and never a value', async (t) => {
  for (const [line, message] of [
    [['lisen'], /Unknown command: lisen\. Similar: listen\./],
    [['logs'], /`logs` needs a command: logs tail\./],
    [['listen', '--forwrd-to', 'x'], /no option --forwrd-to\. Similar: --forward-to\./],
    [['listen', '--forward-to'], /`--forward-to` needs a value\./],
    [
      ['listen', '--forward-to', 'http://u:bt_live_secret@host/'],
      /--forward-to must be an http or https URL without credentials/,
    ],
    [['listen', '--secret', 'whsec_bt_live_secret'], /--secret must be whsec_/],
    [['listen', '--concurrency', '33'], /--concurrency must be a whole number from 1 to 32/],
    [['listen', 'bt_live_secret'], /`listen` takes no argument \(hidden\)/],
    [['trigger'], /`trigger` needs EVENT/],
    [['trigger', 'email.bounced', '--data', '{"bt_live_secret'], /--data must be JSON/],
    [['send', '--to', 'a@example.org', '--text', 'x'], /`send` needs --from, --subject\./],
    [['upload'], /`upload` needs FILE\./],
    [['upload', 'x', '--title', 'y'], /--title needs --video\./],
    [['api', 'FETCH', '/push/v1/apps'], /METHOD must be GET, POST/],
    [['api', 'GET', 'v1'], /PATH must start with \//],
    [['login', '--url', url, '--scopes', 'everything'], /--scopes must be scopes/],
    [['logs', 'tail', '--status', '9xx'], /--status must be a status such as 404/],
    [['whoami', '--profile', '../etc'], /The profile must have/],
    [['completion', 'tcsh'], /SHELL must be one of bash, zsh, fish\./],
    [['completion'], /needs SHELL\. SHELL must be one of bash, zsh, fish\./],
    [['listen', '--forward-to', '/hooks'], /--forward-to must be an http or https URL/],
    [['listen', '--forward-to', 'ftp://host/hooks'], /--forward-to must be an http or https URL/],
  ] as [string[], RegExp][]) {
    const failure = await run(line, () => AbortSignal.timeout(5_000)).catch((error) => error)
    t.match(failure, { name: 'UsageError', message }, line.join(' '))
    t.notMatch(failure.message, 'bt_live_secret')
  }
  const { run: start } = await newComputer(t, { MILLRACE_BASE_URL: url, MILLRACE_API_KEY: issued.main })
  t.match(await start(['lisen']), {
    code: 2,
    out: '',
    err: /^millrace-cli: Unknown command: .*\n\nSee millrace-cli --help\.\n$/,
  })
  t.match(await start(['upload']), { code: 2, err: /See millrace-cli upload --help\./ })
  t.equal((await start([])).code, 2)
})

t.test('each command has a help text with examples', async (t) => {
  const { run } = await newComputer(t)
  const { out } = await run(['--help'])
  for (const command of commands) {
    const { name } = command
    t.match(out, new RegExp(`^ {2}${name} {2}`, 'm'))
    const help = helpOf(command)
    t.match(help, new RegExp(`^Usage: millrace-cli ${name}.*Options:.*Examples:\n  .*millrace-cli ${name}`, 's'), name)
    t.notOk(
      help.split('\n').find((line) => line.length > 140),
      name,
    )
  }
  t.match((await run(['help', 'logs', 'tail'])).out, /--operation NAME/)
  const { version } = JSON.parse(await readFile(new URL('../../sdk/node/package.json', import.meta.url), 'utf8'))
  t.equal((await run(['--version'])).out, `${version}\n`)
})

t.test('bash completes commands, options and values', async (t) => {
  const { home, run } = await newComputer(t)
  const [bash, zsh, fish] = await Promise.all(['bash', 'zsh', 'fish'].map((shell) => run(['completion', shell])))
  const script = join(home, 'completion.bash')
  await writeFile(script, bash?.out ?? '')
  await writeFile(join(home, 'a file.txt'), '')
  const complete = async (line: string) => {
    const test = `set -u; source ${script}; cd ${home}; COMP_LINE=$1 COMP_POINT=\${#1}; _millrace_cli; printf '%s\\n' "\${COMPREPLY[@]}"`
    return (await promisify(execFile)('bash', ['-c', test, 'test', line])).stdout.split('\n').filter(Boolean)
  }
  for (const [line, words] of [
    ['millrace-cli lo', ['login', 'logout', 'logs']],
    ['millrace-cli logs ', ['tail']],
    ['millrace-cli logs tail --op', ['--operation']],
    ['millrace-cli logs tail --status ', ['2xx', '4xx', '5xx']],
    ['millrace-cli trigger email.bou', ['email.bounced']],
    ['millrace-cli trigger --data x email.bou', ['email.bounced']],
    ['millrace-cli trigger email.bounced email.bou', []],
    ['millrace-cli listen --events email.bounced,email.del', ['email.bounced,email.delivered']],
    ['millrace-cli listen --events=email.bou', ['email.bounced']],
    ['millrace-cli login --scopes account:r', ['read']],
    ['millrace-cli upload --video a', ['a file.txt']],
    ['millrace-cli api GET ', []],
    ['millrace-cli completion ', ['bash', 'zsh', 'fish']],
  ] as [string, string[]][])
    t.same(await complete(line), words, line)
  t.match(zsh?.out, /^#compdef millrace-cli\n/)
  t.match(zsh?.out, /'--forward-to\[Local URL/)
  t.match(fish?.out, /complete -c millrace-cli -n '__fish_seen_subcommand_from trigger' -a '.*email\.bounced/)
})

t.test('text of the server cannot control the terminal', async (t) => {
  const { run } = await newComputer(t)
  const evil = '\u001b]0;title\u0007\u001b[2J\u202ename'
  const server = createServer((_, response) => {
    const key = { id: 'k', name: evil, mode: 'test', scopes: [evil], expires_at: null }
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ key, organisation: { id: 'o', name: evil } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { out } = await run(['whoami'], { MILLRACE_BASE_URL: base, MILLRACE_API_KEY: 'bt_test_key' })
  t.match(out, 'name')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about these characters.
  t.notMatch(out, /[\u001b\u0007\u202e]/)
})
