import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { application } from './application.ts'
import { blocksOf, runIn } from './guide-run.ts'

t.setTimeout(600_000)
const folder = t.testdir({})
const app = await application(t)
await app.pool.query('create table orders (id serial primary key, email text not null)')
const settings = { DATABASE_URL: app.url }
const exampleOf = (heading: string) => blocksOf(heading)[0]?.code ?? ''

/** Runs what installs a framework. Returns false if this machine cannot install it. */
const installs = (...steps: string[][]) =>
  steps
    .reduce((before, step) => before.then(() => runIn(folder, step)), Promise.resolve<unknown>(undefined))
    .then(
      () => true,
      () => false,
    )

/** Checks that the example has added an order and its row. */
async function checkRow(test: Test): Promise<void> {
  const [id] = await app.column('select max(id) from orders')
  test.match((await app.pool.query('select key, body from millrace.outbox')).rows, [
    { key: `order-${id}`, body: { type: 'order.placed', title: 'Thank you' } },
  ])
  await app.pool.query('delete from millrace.outbox')
}

const schema = `generator client {
  provider = "prisma-client"
  output   = "../generated"
}
datasource db {
  provider = "postgresql"
}
model Order {
  id    Int    @id @default(autoincrement())
  email String
  @@map("orders")
}
`

const npm = ['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts']

t.test('Prisma', async (t) => {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  const packages = ['prisma@7.10.1', '@prisma/client@7.10.0', '@prisma/adapter-pg@7.10.1']
  if (!(await installs([...npm, ...packages]))) return t.comment('Prisma cannot be installed here.')
  await mkdir(join(folder, 'prisma'))
  await writeFile(join(folder, 'prisma/schema.prisma'), schema)
  // The engine of migrations is not needed here, so it is not loaded from the network.
  await runIn(folder, ['npx', 'prisma', 'generate'], { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' })
  await writeFile(join(folder, 'prisma.ts'), exampleOf('Use Prisma'))
  await runIn(folder, [process.execPath, 'prisma.ts'], settings)
  await checkRow(t)
})

t.test('Drizzle', async (t) => {
  if (!(await installs([...npm, 'drizzle-orm@0.45.4', 'pg@8.23.1'])))
    return t.comment('Drizzle cannot be installed here.')
  await writeFile(join(folder, 'drizzle.ts'), exampleOf('Use Drizzle'))
  await runIn(folder, [process.execPath, 'drizzle.ts'], settings)
  await checkRow(t)
})

t.test('Django', async (t) => {
  const python = join(folder, 'venv/bin/python')
  const pip = [python, '-m', 'pip', 'install', '-q', 'django==5.2.17', 'psycopg[binary]==3.3.6']
  if (!(await installs(['python3', '-m', 'venv', 'venv'], pip))) return t.comment('Django cannot be installed here.')
  const { hostname, port, username, password, pathname } = new URL(app.url)
  const database = {
    ENGINE: 'django.db.backends.postgresql',
    HOST: hostname,
    PORT: port,
    USER: username,
    PASSWORD: password,
  }
  const settingsOf = JSON.stringify({ default: { ...database, NAME: pathname.slice(1) } })
  const head = `from django.conf import settings\nsettings.configure(DATABASES=${settingsOf})\nimport django\ndjango.setup()\n`
  await writeFile(join(folder, 'order.py'), head + exampleOf('Use Django'))
  await runIn(folder, [python, 'order.py'])
  await checkRow(t)
})

t.test('Rails', async (t) => {
  const has = await installs(['ruby', '-e', 'require "active_record"; require "pg"'])
  if (!has) return t.comment('Active Record is not installed here: apt-get install ruby-activerecord ruby-pg')
  const head = `require "active_record"\nActiveRecord::Base.establish_connection(ENV["DATABASE_URL"])\n`
  await writeFile(join(folder, 'order.rb'), head + exampleOf('Use Rails'))
  await runIn(folder, ['ruby', 'order.rb'], settings)
  await checkRow(t)
})

t.test('the guide has an example of each framework', async (t) => {
  const guide = await readFile(new URL('../../sdk/node/OUTBOX.md', import.meta.url), 'utf8')
  for (const name of ['node-postgres', 'Prisma', 'Drizzle', 'Django', 'Rails']) t.match(guide, `## Use ${name}\n`)
})
