import { mkdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { Storage } from '#lib/storage/storage.ts'
import { startObjectStore } from '../../ops/embedded/object-store/server.ts'
import { commandLine } from '../support/millrace.ts'

const { run } = commandLine('postgres://127.0.0.1:1/none')

/** What doctor says of backups. */
async function doctor(environment: Record<string, string>) {
  const { out } = await run('doctor --json', environment)
  return JSON.parse(out).find(({ check }: { check: string }) => check === 'backup')
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)

t.test('the age of the last backup in a folder is told, and too old a one is a fault', async (t) => {
  const folder = t.testdir({ 'millrace-1.dump': 'a', 'millrace-2.dump': 'b', '.dump-3': 'being made', 'base-1': {} })
  for (const [name, hours] of Object.entries({ 'millrace-1.dump': 50, 'millrace-2.dump': 30, 'base-1': 40 }))
    await utimes(join(folder, name), hoursAgo(hours), hoursAgo(hours))
  t.match(await doctor({ BACKUP_PATH: folder }), { ok: false, found: / is 30\.0 h old, more than 26 h$/ })
  t.match(await doctor({ BACKUP_PATH: folder, BACKUP_MAX_AGE_HOURS: '48' }), { ok: true })
  await mkdir(join(folder, 'base-2'))
  t.match(await doctor({ BACKUP_PATH: folder }), { ok: true, found: /^the last in .* is \d+(\.\d+)? ?m?s old$/ })
})

t.test('none, no such folder and no word of one are told apart', async (t) => {
  t.match(await doctor({ BACKUP_PATH: t.testdir({}) }), { ok: false, found: /^there is none in / })
  t.match(await doctor({ BACKUP_PATH: '/no/such/folder' }), { ok: false, found: /no such file/ })
  t.match(await doctor({}), { ok: true, found: /BACKUP_PATH is not set/ })
})

t.test('backups in object storage are looked for below their prefix', async (t) => {
  const keys = { accessKey: 'access', secretKey: 'secret' }
  const place = { host: '127.0.0.1', port: 0, dir: t.testdir({}), region: 'us-east-1', buckets: ['backups'] }
  const store = await startObjectStore({ ...place, ...keys })
  t.teardown(() => store.close())
  const options = { endpoint: store.url, publicEndpoint: store.url, region: 'us-east-1', bucket: 'backups', ...keys }
  const env = {
    S3_ENDPOINT: store.url,
    S3_ACCESS_KEY: keys.accessKey,
    S3_SECRET_KEY: keys.secretKey,
    BACKUP_PATH: 's3://backups/postgres/',
  }
  await new Storage(options).put('other/1', Buffer.from('a'), { contentType: 'text/plain' })
  t.match(await doctor(env), { ok: false, found: /^there is none in s3:/ })
  await new Storage(options).put('postgres/1', Buffer.from('a'), { contentType: 'text/plain' })
  t.match(await doctor(env), { ok: true, found: /^the last in s3:\/\/backups\/postgres\/ is/ })
})
