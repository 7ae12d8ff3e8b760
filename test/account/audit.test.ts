import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import * as audit from '#sql/account/audit.ts'
import * as orgs from '#sql/account/orgs.ts'
import { sql } from '#sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { commandLine } from '../support/millrace.ts'

const { db, url } = await testDatabase(t)
const { ask, url: base } = await testIngress(t, db, [], { only: ['account'] })

const actor = { kind: 'user', id: 'u1', name: 'Ada' } as const

/** An organisation in whose log stand `count` acts, which were done at the same time. */
async function scene(count: number) {
  const { org, keys } = await testOrg(db, ['account:audit'])
  const act = (n: number) => ({ orgId: org.id, actor, action: 'key.created', target: `k${n}`, after: { b: n, a: 'ü' } })
  await Promise.all(Array.from({ length: count }, (_, n) => db.transaction((tx) => audit.append(tx, act(n)))))
  return { org, key: keys.main as string }
}

t.test('acts of one moment are numbered without a gap, and listed newest first, page by page', async (t) => {
  const { key } = await scene(12)
  const first = await ask('GET /v1/account/audit?limit=10', { key })
  t.equal(first.status, 200)
  t.same(
    first.body.data.map(({ number }: { number: number }) => number),
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
  )
  t.match(first.body.data[0], { actor, action: 'key.created', after: { a: 'ü' }, before: null })
  const rest = await ask(`GET /v1/account/audit?limit=10&cursor=${first.body.next_cursor}`, { key })
  t.equal(rest.body.data.length, 2)
  t.same((await ask('GET /v1/account/audit?target=k3', { key })).body.data.length, 1)
  t.same((await ask('GET /v1/account/audit?action=key.revoked', { key })).body.data, [])
  const faults = await ask('GET /v1/account/audit?since=soon&colour=red', { key })
  t.match(faults, { status: 400 })
})

t.test('another organisation sees nothing of it', async (t) => {
  await scene(2)
  const { keys } = await testOrg(db, ['account:audit'])
  t.same((await ask('GET /v1/account/audit', { key: keys.main as string })).body.data, [])
})

t.test('an act whose transaction is undone is in no log, and leaves no gap', async (t) => {
  const { org, key } = await scene(1)
  const undone = db.transaction(async (tx) => {
    await audit.append(tx, { orgId: org.id, actor, action: 'key.revoked' })
    throw new Error('undone')
  })
  await t.rejects(undone)
  await db.transaction((tx) => audit.append(tx, { orgId: org.id, actor, action: 'key.rotated' }))
  const { body } = await ask('GET /v1/account/audit', { key })
  t.match(body.data, [
    { number: 2, action: 'key.rotated' },
    { number: 1, action: 'key.created' },
  ])
})

t.test('no row is changed, and none is deleted before its time but with its organisation', async (t) => {
  const { org } = await scene(2)
  const Id = z.object({ id: z.string() })
  const change = sql.type(Id)`update account.audit set action = 'nothing' where org_id = ${org.id} returning id`
  const drop = sql.type(Id)`delete from account.audit where org_id = ${org.id} returning id`
  await t.rejects(db.any(change))
  await t.rejects(db.any(drop))
  await db.query(sql.typeAlias('void')`delete from account.orgs where id = ${org.id}`)
  t.equal(await orgs.find(db, org.id), null)
  t.same(await db.any(sql.type(Id)`select id from account.audit where org_id = ${org.id}`), [])
})

t.test('an export is checked without us: a changed, a missing, a swapped line shows', async (t) => {
  const { key } = await scene(5)
  const reply = await fetch(`${base}/v1/account/audit/export`, { headers: { authorization: `Bearer ${key}` } })
  const lines = (await reply.text()).trimEnd().split('\n')
  t.equal(lines.length, 5)
  const { run } = commandLine(url)
  const folder = t.testdir()
  const check = async (text: string) => {
    const path = join(folder, 'audit.ndjson')
    await writeFile(path, text)
    return await run(`audit check ${path}`)
  }
  t.match(await check(`${lines.join('\n')}\n`), { code: 0, out: /Entries 1 to 5/ })
  t.match(await check(lines.slice(2).join('\n')), { code: 0, out: /Entries 3 to 5/ })
  const changed = lines.map((line, i) => (i === 2 ? line.replace('Ada', 'Eve') : line))
  t.match(await check(changed.join('\n')), { code: 1, err: /Entry 3 was changed/ })
  t.match(await check(lines.filter((_, i) => i !== 2).join('\n')), { code: 1, err: /between 2 and 4/ })
  t.match(await check('what\n'), { code: 1, err: /Line 1/ })
  t.match(await run('audit check /nowhere'), { code: 2, err: /nowhere/ })
})
