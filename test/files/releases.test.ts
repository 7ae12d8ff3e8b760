import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { eicar } from '../../ops/embedded/signatures.ts'
import { get, post, signIn, tokenOf } from '../console/fixture.ts'
import { filesStack } from '../support/files-stack.ts'
import { testOrg } from '../support/ingress.ts'
import { commandLine } from '../support/millrace.ts'

t.setTimeout(240_000)
const stack = await filesStack(t, { areas: ['console'] })
const { db, databaseUrl } = stack.base
const { url } = stack.base.ingress
await stack.startWorkers()
const { run, ask } = commandLine(databaseUrl)

const upload = async (text: string, filename = 'script.vbs') =>
  await stack.settled((await stack.send(text, { filename })).body.object_id)
const scanAgain = async (id: string) => {
  await stack.ask(`POST /v1/files/objects/${id}/scan`, { body: {} })
  return await stack.settled(id)
}

t.test('an operator releases a suspicious file with a reason: it is had, and all of it is on record', async (t) => {
  const { object_id: id, scan_status } = await upload('MsgBox 1')
  t.equal(scan_status, 'suspicious')
  t.equal((await stack.download(id)).asked.status, 409)
  t.match(await ask('files'), [
    { id, filename: 'script.vbs', scan_status: 'suspicious', reasons: [{ code: 'executable' }] },
  ])
  const released = await run(`files release ${id} --reason known`)
  t.match(released, { code: 0, out: new RegExp(`${id} .*File released`) })
  t.strictSame(await ask('files'), [])
  const { got, bytes } = await stack.download(id)
  t.match([got?.status, bytes?.toString()], [200, 'MsgBox 1'])
  const { body } = await stack.ask(`GET /v1/files/objects/${id}`)
  t.match(body, { scan_status: 'clean', released: true, verdict: { reasons: [{ code: 'executable' }] } })
  t.match((await ask('actions'))[0], { action: 'release', target: `file ${id}: known`, actor: /@/ })
  const Row = z.object({
    from_status: z.string(),
    to_status: z.string(),
    actor: z.string(),
    reason: z.string(),
    overruled: z.string(),
  })
  const change = await db.one(sql.type(Row)`
    select c.from_status, c.to_status, r.actor, r.reason, r.overruled
    from files.state_changes as c join files.releases as r on r.id = c.release_id where c.object_id = ${id}`)
  t.match(change, {
    from_status: 'suspicious',
    to_status: 'clean',
    actor: /@/,
    reason: 'known',
    overruled: 'suspicious',
  })
  t.match(await run(`files release ${id} --reason known`), { code: 1, out: /unchanged: .* already/ })
})

t.test('in the console, too, with a reason that must be given', async (t) => {
  const { object_id: id } = await upload('MsgBox "<b>2</b>"', '<b>2.vbs')
  const { keys } = await testOrg(db, ['operator'])
  const cookie = await signIn({ db, url, key: keys.main, orgId: '' })
  const page = await get(url, '/ops/files', cookie)
  t.match(page.text, '&lt;b&gt;2.vbs')
  t.match(page.text, `/ops/confirm/release-file?file=${id}`)
  const question = await get(url, `/ops/confirm/release-file?file=${id}`, cookie)
  t.match(question.text, /name="reason" required/)
  const fields = { token: tokenOf(question), file: id, back: '/ops/files' }
  const without = await post(url, '/ops/confirm/release-file', { ...fields, reason: ' ' }, { cookie })
  t.equal(without.status, 400)
  t.equal((await stack.ask(`GET /v1/files/objects/${id}`)).body.scan_status, 'suspicious')
  await post(url, '/ops/confirm/release-file', { ...fields, reason: 'it is ours' }, { cookie })
  t.match((await get(url, '/ops/files', cookie)).text, /File released/)
  t.match((await stack.ask(`GET /v1/files/objects/${id}`)).body, { scan_status: 'clean', released: true })
  t.match((await get(url, '/ops/actions', cookie)).text, `file ${id}: it is ours`)
})

t.test('a release holds until a scan finds something else', async (t) => {
  const { object_id: id } = await upload('MsgBox 3')
  await run(`files release ${id} --reason known`)
  const again = await scanAgain(id)
  t.match(again, { scan_status: 'clean', released: true, verdict: { reasons: [{ code: 'executable' }] } })
  t.match((await stack.ask(`GET /v1/files/objects/${id}/scans`)).body.data[0], {
    status: 'suspicious',
    cause: 'requested',
  })
  // As though the scan before had found something else than this one will.
  await db.query(sql.typeAlias('void')`update files.releases set grounds = '{macros}' where object_id = ${id}`)
  t.match(await scanAgain(id), { scan_status: 'suspicious', released: false })
})

t.test('an infected file is never released, nor one that is released and becomes infected', async (t) => {
  const { object_id: infected } = await upload(eicar, 'eicar.com')
  const refused = { code: 1, out: /unchanged: .*infected/ }
  t.match(await run(`files release ${infected} --reason known`), refused)
  const { object_id: id } = await upload('MsgBox "later known"')
  await run(`files release ${id} --reason known`)
  await writeFile(
    join(stack.clamd.signatures, 'new.ndb'),
    `Test.New:0:0:${Buffer.from('later known').toString('hex')}\n`.replace(':0:0:', ':0:*:'),
  )
  await stack.clamd.reload()
  t.match(await scanAgain(id), { scan_status: 'infected', released: false })
  t.match(await run(`files release ${id} --reason known`), refused)
  t.match(await run(`files release ${newId()} --reason known`), { code: 2, err: /does not exist/ })
  t.match(await run('files release nonsense --reason known'), { code: 2, err: /not a file ID/ })
  t.match(await run(`files release ${id}`), { code: 2, err: /--reason/ })
})

t.test('no statement makes a suspicious file clean without a release of its own bytes', async (t) => {
  const one = await upload('MsgBox 4')
  const other = await upload('MsgBox 5')
  const forge = (change: ReturnType<typeof sql.fragment>) =>
    db.query(sql.unsafe`update files.objects set ${change} where id = ${one.object_id}`)
  await t.rejects(forge(sql.fragment`scan_status = 'clean'`))
  await t.rejects(forge(sql.fragment`scan_status = 'clean', release_id = gen_random_uuid()`))
  await run(`files release ${other.object_id} --reason known`)
  const theirs = sql.fragment`(select release_id from files.objects where id = ${other.object_id})`
  await t.rejects(forge(sql.fragment`scan_status = 'clean', release_id = ${theirs}`))
  await run(`files release ${one.object_id} --reason known`)
  await t.rejects(forge(sql.fragment`release_id = null`))
  await t.rejects(forge(sql.fragment`held_key = 'files/objects/forged'`))
  await t.rejects(forge(sql.fragment`sha256 = repeat('0', 64)`))
  await t.rejects(forge(sql.fragment`scan_status = 'infected'`))
})
