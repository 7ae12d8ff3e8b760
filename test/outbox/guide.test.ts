import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { application, titlesOf } from './application.ts'
import { blocksOf, npxOf, runIn } from './guide-run.ts'

const { db } = await testDatabase(t)
const ingress = await testIngress(t, db, [], { only: ['notify'] })
const { org, keys } = await testOrg(db, ['notify:write'])
const app = await application(t, { install: false })
const folder = t.testdir({})
const settings = {
  DATABASE_URL: app.url,
  MILLRACE_BASE_URL: ingress.url,
  MILLRACE_API_KEY: keys.main,
  PATH: await npxOf(folder),
}
const shell = (code: string) => runIn(folder, ['bash', '-euc', code], settings)

t.test('the quickstart installs the outbox, adds a row and relays it', async (t) => {
  const [install, add, relay, read] = blocksOf('Quickstart').map(({ code }) => code) as [string, string, string, string]
  await shell(install)
  t.match((await shell(add)).stdout, /COMMIT/)
  const child = spawn('setpriv', ['--pdeathsig=KILL', '--', 'bash', '-euc', `exec ${relay}`], {
    ...{ cwd: folder, env: childEnvironment(settings), stdio: 'ignore' as const },
  })
  const ended = once(child, 'close')
  await until(async () => (await titlesOf(db, org.id, 'customer-17')).length === 1)
  t.match((await until(async () => (await app.pool.query(read)).rows[0])).reply, { title: 'Shipped' })
  child.kill('SIGTERM')
  await ended
})

t.test('the calls of enqueue, retry and discard work', async (t) => {
  for (const heading of ['Add a row', 'Retry or discard a row']) {
    for (const { code } of blocksOf(heading)) await app.pool.query(code)
  }
  t.same(await app.column('select state from millrace.waiting order by state'), ['scheduled', 'waiting'])
  await app.pool.query('delete from millrace.outbox')
})

t.test('the example of node-postgres adds an order and its row together', async (t) => {
  await app.pool.query('create table if not exists orders (id serial primary key, email text not null)')
  await symlink(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  await writeFile(join(folder, 'order.mjs'), blocksOf('Use node-postgres')[0]?.code ?? '')
  await runIn(folder, [process.execPath, 'order.mjs'], settings)
  t.same(await app.column('select key from millrace.waiting'), ['order-1'])
})

t.test('rights are granted, and the outbox is upgraded and removed', async (t) => {
  const [grant] = blocksOf('Grant rights to roles')
  await shell((grant?.code ?? '').replace('shop', app.role).replace('--relay-role relay', `--relay-role ${app.role}`))
  for (const { code } of blocksOf('Upgrade and remove')) await shell(code)
  t.same(await app.column(`select to_regnamespace('millrace')`), [null])
})
