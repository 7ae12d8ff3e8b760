import { hostname } from 'node:os'
import t from 'tap'
import * as orgs from '#sql/account/orgs.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { installEffects, plain } from '../jobs/work.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { commandLine } from '../support/millrace.ts'

t.setTimeout(240_000)
const { url, db } = await testDatabase(t)
await installEffects(db)
await startWorker(t, url)
await enqueue(db, plain, { name: 'first' })
await orgs.insert(db, { name: 'acme', plan: 'free' })
const { run: millrace } = commandLine(url)

t.test('every wrong option is named, and what there is instead', async (t) => {
  const wrong = await millrace('jobs --pool cellar --task nope --state odd --org ghost --limit 0 --older-than soon')
  t.equal(wrong.code, 2)
  for (const told of [
    '--pool',
    '--task',
    '--state',
    '--org',
    '--limit',
    '--older-than',
    'media-intake',
    'test/plain',
  ]) {
    t.match(wrong.err, told)
  }
  t.match(await millrace('jobs --poool core --frobnicate'), { code: 2, err: /--poool.*--frobnicate.*--pool,/s })
  t.match(await millrace('jobs show core:999999'), { code: 2, err: /no job core:999999/ })
  t.match(await millrace('jobs show what'), { code: 2, err: /POOL:NUMBER/ })
  t.match(await millrace('pause cellar'), { code: 2, err: /media-intake.*test\/plain/s })
  t.match(await millrace('drain nowhere'), { code: 2, err: new RegExp(hostname()) })
  t.match(await millrace('retry'), { code: 2, err: /--all/ })
  t.match(await millrace('keys create --org acme --name x --scopes what'), { code: 2, err: /stream:read/ })
  t.match(await millrace('queue', { DATABASE_URL: 'postgres://127.0.0.1:1/none' }), {
    code: 1,
    err: /is not responding/,
  })
  t.match(await millrace('nonsense'), { code: 2 })
  t.match(await millrace('queue', { DATABASE_URL: '', MILLRACE_DATA: '/nowhere' }), { code: 1 })
})
