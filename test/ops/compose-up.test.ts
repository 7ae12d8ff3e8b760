import { execFile } from 'node:child_process'
import { chmod, cp, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { childEnvironment } from '#lib/config.ts'

const shipped = fileURLToPath(new URL('../../ops/deploy/compose/', import.meta.url))

/** Stands in for Compose: notes each call, and plays an ingress that is healthy at its third check. */
const standIn = `#!/bin/sh
shift 2
echo "$*" >>"$NOTES/calls"
case "$*" in
  "up -d --build") [ ! -e "$NOTES/broken" ] ;;
  *"entry.ts health") echo x >>"$NOTES/checks"; [ ! -e "$NOTES/ill" ] && [ "$(wc -l <"$NOTES/checks")" -ge 2 ] ;;
  "exec -T ingress millrace orgs") printf 'ID NAME PLAN\\n2 main-shop free\\n'; [ ! -e "$NOTES/created" ] || echo '1 main free' ;;
  *"orgs create main") touch "$NOTES/created" ;;
  *"orgs invite main"*) echo "http://localhost:8080/app/join/token" ;;
  logs*) echo "the last line of the log" ;;
esac
`

async function installation(t: Test) {
  const folder = t.testdir()
  await cp(shipped, join(folder, 'compose'), { recursive: true })
  await writeFile(join(folder, 'compose/seccomp.json'), '{}')
  const program = join(folder, 'program')
  await writeFile(program, standIn)
  await chmod(program, 0o755)
  const environment = childEnvironment({ NOTES: folder, COMPOSE: program, UP_TRIES: '3' })
  const up = (...args: string[]) =>
    promisify(execFile)('sh', [join(folder, 'compose/up.sh'), ...args], { env: environment }).then(
      ({ stdout }) => ({ code: 0, output: stdout }),
      ({ code, stdout, stderr }) => ({ code: Number(code), output: `${stdout}${stderr}` }),
    )
  const calls = async () => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')
  return { folder, up, calls, env: () => readFile(join(folder, 'compose/.env'), 'utf8') }
}

t.test('one command creates secrets, starts everything, and prints the link of the owner', async (t) => {
  const { folder, up, calls, env } = await installation(t)
  const { code, output } = await up('ann@example.com')
  t.equal(code, 0, output)
  t.match(output, /healthy\. Dashboard: http:\/\/localhost:8080\/app\n[\s\S]*http:\/\/localhost:8080\/app\/join\/token/)
  t.equal((await stat(join(folder, 'compose/.env'))).mode & 0o777, 0o600)
  t.match(await env(), /^SIGNING_SECRET=\w{64}$/m)
  t.match(await env(), /^APP_URL=http:\/\/localhost:8080$/m)
  const secrets = [...(await env()).matchAll(/^[A-Z0-9_]+(?:SECRET|PASSWORD|KEY)=(\w+)$/gm)].map(([, secret]) => secret)
  t.ok(secrets.length >= 5)
  for (const secret of secrets) t.notOk(output.includes(secret ?? ''), 'no secret is printed')
  t.equal((await calls())[0], 'up -d --build')
  t.ok((await calls()).includes('exec -T ingress millrace orgs invite main ann@example.com --role owner'))

  const before = await env()
  t.equal((await up('bob@example.com')).code, 0)
  t.equal(await env(), before, 'a second run changes no secret')
  t.equal((await calls()).filter((call) => call.endsWith('orgs create main')).length, 1)
})

t.test('the URL of an installation stays', async (t) => {
  const { folder, up, env } = await installation(t)
  await writeFile(join(folder, 'compose/.env'), 'PUBLIC_URL=https://api.example.com\n', { mode: 0o600 })
  const { output } = await up()
  t.match(
    output,
    /Dashboard: https:\/\/api\.example\.com\/app\nTo create the first owner: sh .*up\.sh you@example\.com/,
  )
  t.notMatch(await env(), /APP_URL/)
})

t.test('faults end the command with a reason', async (t) => {
  const { folder, up } = await installation(t)
  t.match(await up('ann'), { code: 2, output: /Usage: / })
  await writeFile(join(folder, 'broken'), '')
  t.not((await up('ann@example.com')).code, 0, 'Compose fails')
  await promisify(execFile)('rm', [join(folder, 'broken')])
  await writeFile(join(folder, 'ill'), '')
  t.match(await up('ann@example.com'), { code: 1, output: /did not become healthy.*\nthe last line of the log/ })
})
