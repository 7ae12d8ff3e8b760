import { execFile } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { checkQueues, knownVersion } from '#sql/jobs/graphile-schema.ts'
import { queues } from '#tasks/pools.ts'
import { testDatabase } from '../support/database.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

t.test('a queue that lacks a column is refused, with the version that is known', async (t) => {
  const { db } = await testDatabase(t)
  await checkQueues(db, queues)
  await db.query(sql.unsafe`alter table jobs_scan._private_jobs rename column flags to marks`)
  await db.query(sql.unsafe`insert into jobs_scan.migrations (id, ts) values (99, now())`)
  await t.rejects(checkQueues(db, queues), {
    name: 'UnknownQueueSchemaError',
    message: `Queue jobs_scan does not have _private_jobs.flags (jsonb). It is at migration 99 of graphile-worker. Supported is ${knownVersion} (graphile-worker 0.18).`,
  })
})

t.test('the version that is known is that of the installed library', async (t) => {
  const { db } = await testDatabase(t)
  const migrations = sql.type(z.object({ id: z.number() }))`select max(id) as id from jobs_core.migrations`
  t.equal(await db.oneFirst(migrations), knownVersion)
})

t.test('neither ingress nor worker starts on a queue that is not there', async (t) => {
  const { url, db } = await testDatabase(t)
  await db.query(sql.unsafe`drop schema jobs_media cascade`)
  const storage = { S3_ENDPOINT: 'http://127.0.0.1:1', S3_BUCKET: 'b', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's' }
  const env = { ...storage, DATABASE_URL: url, SIGNING_SECRET: 'x'.repeat(40), PORT: '0' }
  for (const main of ['ingress/main.ts', 'workers/main.ts']) {
    const started = promisify(execFile)(process.execPath, [main], { cwd: root, env, timeout: 30_000 })
    await t.rejects(started, { code: 1, stderr: /The queue jobs_media does not exist. Run `npm run migrate`/ }, main)
  }
})

t.test('the library’s private tables are named in sql/jobs alone', async (t) => {
  const strays: string[] = []
  for await (const file of glob('{ingress,workers,tasks,sql,ops/cli,ops/start}/**/*.ts', { cwd: root })) {
    const text = file.startsWith('sql/jobs/') ? '' : await readFile(`${root}/${file}`, 'utf8')
    if (text.includes('_private_')) strays.push(file)
  }
  t.strictSame(strays, [])
})
