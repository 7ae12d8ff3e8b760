import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'tap'
import { freePort } from '../support/postgres.ts'
import { dataFolder, processesOn, Stack } from '../support/stack.ts'

test('a server that the environment names is used, not started', async (t) => {
  const data = await dataFolder(t)
  const first = new Stack(data, await freePort())
  const { database_url, s3 } = await first.ready()
  const guest = new Stack(await dataFolder(t), await freePort(), {
    DATABASE_URL: database_url,
    S3_ENDPOINT: s3.endpoint,
    S3_ACCESS_KEY: s3.access_key,
    S3_SECRET_KEY: s3.secret_key,
  })
  const facts = await guest.ready()
  const own = new Set(Object.keys(facts.ports))
  t.ok(own.has('ingress') && own.has('mail_catcher'))
  for (const named of ['postgres', 'object_store']) t.notOk(own.has(named), named)
  t.equal((await fetch(`${facts.base_url}/readyz`)).status, 200)
  t.same(await processesOn(guest.data, 'postgres'), [])
  t.same(await guest.stop('SIGTERM'), [0, null])
  t.match(await readFile(join(guest.data, 'dev.json'), 'utf8'), database_url)
  t.same(await first.stop('SIGTERM'), [0, null])
})

test('another folder and port run beside it', async (t) => {
  const first = new Stack(await dataFolder(t), await freePort())
  const beside = new Stack(await dataFolder(t), await freePort())
  const [facts, others] = [await first.ready(), await beside.ready()]
  t.equal((await fetch(`${others.base_url}/readyz`)).status, 200)
  t.same(await beside.stop('SIGTERM'), [0, null])
  t.equal((await fetch(`${facts.base_url}/readyz`)).status, 200, 'the first one is none the worse')
  t.same(await first.stop('SIGTERM'), [0, null])
})
