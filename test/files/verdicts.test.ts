import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import * as scans from '#sql/files/scans.ts'
import { rescan } from '#tasks/files/rescan.ts'
import { sweep } from '#tasks/files/sweep.ts'
import { prune } from '#tasks/jobs/prune.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { filesStack } from '../support/files-stack.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

t.setTimeout(120_000)
const stack = await filesStack(t)
const { db, store } = stack.base
await stack.startWorkers({ QUARANTINE_DAYS: '0' })

const secret = 'something that nobody minds today'
const scansOf = async (id: string) => (await stack.ask(`GET /v1/files/objects/${id}/scans`)).body.data
const upload = async (text: string, facts = {}) => {
  const { body } = await stack.send(text, facts)
  return await stack.settled(body.object_id)
}

t.test('the same bytes under the same name are judged once; under another name they are looked at again', async (t) => {
  const first = await upload('twice the same')
  const second = await upload('twice the same')
  const other = await upload('twice the same', { filename: 'other.txt' })
  const from = (id: string) =>
    db.oneFirst(sql.type(z.object({ reused_from: z.string().nullable() }))`
      select reused_from from files.scans where object_id = ${id}`)
  t.equal(await from(second.object_id), first.verdict.scan_id)
  t.equal(await from(other.object_id), null)
})

t.test('a re-scan that is asked for looks by itself, and its history is kept', async (t) => {
  const object = await upload('look again')
  const reply = await stack.ask(`POST /v1/files/objects/${object.object_id}/scan`, { body: {} })
  t.equal(reply.status, 200)
  t.equal((await stack.settled(object.object_id)).scan_status, 'clean')
  const scans = await scansOf(object.object_id)
  t.strictSame(
    scans.map(({ cause, status }: { cause: string; status: string }) => [cause, status]),
    [
      ['requested', 'clean'],
      ['upload', 'clean'],
    ],
  )
  t.not(scans[0].scan_id, scans[1].scan_id)
})

t.test('earlier scans are forgotten in their time, and never the one that the status stems from', async (t) => {
  const object = await upload('scanned again and again')
  for (const _ of [1, 2]) {
    await stack.ask(`POST /v1/files/objects/${object.object_id}/scan`, { body: {} })
    await stack.settled(object.object_id)
  }
  const [latest, , first] = await scansOf(object.object_id)
  const age = (id: string) =>
    db.query(sql.typeAlias('void')`
      update files.scans set superseded_at = superseded_at - interval '91 days', finished_at = finished_at - interval '91 days'
      where id = ${id}`)
  for (const { scan_id } of [latest, first]) await age(scan_id)
  await enqueue(db, prune, { tables: ['files.scans'] })
  await until(async () => (await scansOf(object.object_id)).length === 2, { what: 'one is forgotten' })
  t.equal((await scansOf(object.object_id))[0].scan_id, latest.scan_id)
  const { body } = await stack.ask(`GET /v1/files/objects/${object.object_id}`)
  t.match(body, { scan_status: 'clean', verdict: { scan_id: latest.scan_id } })
})

t.test('hosts that have different signatures ask about each object once each', async (t) => {
  const { object_id, verdict } = await upload('scanned by two')
  const isOutdated = async (signatures: string) =>
    (await scans.listOutdated(db, { signatures, heuristics: verdict.heuristics_version }, 100)).some(
      ({ id }) => id === object_id,
    )
  t.ok(await isOutdated('another'))
  await db.query(sql.typeAlias('void')`
    update files.objects set scanned_with = 'another, later' where id = ${object_id}`)
  t.ok(await isOutdated('another'))
  t.notOk(await isOutdated(verdict.signature_version))
})

t.test('new signatures: what was clean is found infected everywhere, put away, and deleted in time', async (t) => {
  const { keys } = await testOrg(db, ['files:read', 'files:write'])
  const mine = await upload(secret)
  const theirs = (await stack.send(secret, { filename: 'theirs.txt' }, keys.main)).body.object_id
  await until(async () => {
    const { body } = await stack.ask(`GET /v1/files/objects/${theirs}`, { key: keys.main })
    return body.scan_status === 'clean'
  })
  const signed = (await stack.download(mine.object_id)).asked.body.download_url
  const { body: shown } = await stack.ask(`PATCH /v1/files/objects/${mine.object_id}`, {
    body: { visibility: 'public' },
  })
  t.equal(await (await fetch(shown.url)).text(), secret)

  const hex = Buffer.from(secret).toString('hex')
  await writeFile(join(stack.clamd.signatures, 'new.ndb'), `Test.New:0:0:${hex}\n`)
  await stack.clamd.reload()
  // While clamd waits for its threads it answers nobody.
  const found = await until(
    async () => {
      await enqueue(db, rescan, {}, { key: 'rescan' })
      const { body } = await stack.ask(`GET /v1/files/objects/${mine.object_id}`)
      return body.quarantined && body
    },
    { what: 'it was put away', every: 100 },
  )
  t.equal((await fetch(shown.url)).status, 404, 'its URL delivers nothing from the verdict on')
  t.match(found, { scan_status: 'infected', verdict: { reasons: [{ detail: /Test\.New/ }] } })
  t.not(found.verdict.signature_version, mine.verdict.signature_version)
  const others = await until(async () => {
    const { body } = await stack.ask(`GET /v1/files/objects/${theirs}`, { key: keys.main })
    return body.quarantined && body
  })
  t.equal(others.scan_status, 'infected')
  await until(async () => (await fetch(signed)).status === 404, {
    what: 'the URL that was signed before leads nowhere',
  })

  // What is being scanned at that moment is left to the next sweep.
  const swept = async () => {
    await enqueue(db, sweep, {}, { key: 'sweep' })
    return (await store.list('files/quarantine/')).length === 0
  }
  await until(swept, { what: 'the bytes are deleted', every: 200 })
  t.match((await stack.ask(`GET /v1/files/objects/${mine.object_id}`)).body, {
    scan_status: 'infected',
    quarantined: true,
  })
  const again = await stack.ask(`POST /v1/files/objects/${mine.object_id}/scan`, { body: {} })
  t.match(again, { status: 409, body: { error: { code: 'no_bytes' } } })
})

t.test('no statement makes an object clean that no scan found clean', async (t) => {
  const { object_id } = await upload('honest')
  const forge = (change: ReturnType<typeof sql.fragment>) =>
    db.query(sql.unsafe`update files.objects set ${change} where id = ${object_id}`)
  await t.rejects(forge(sql.fragment`held_key = 'files/objects/forged'`))
  await t.rejects(forge(sql.fragment`sha256 = repeat('0', 64)`))
  await t.rejects(forge(sql.fragment`scan_id = gen_random_uuid()`))
  await t.rejects(forge(sql.fragment`place = 'quarantine'`))
  const fresh = await stack.start('not sent')
  await t.rejects(db.query(sql.unsafe`update files.objects set scan_status = 'clean' where id = ${fresh.object_id}`))
  await t.rejects(db.query(sql.unsafe`update files.objects set scan_status = 'infected' where id = ${fresh.object_id}`))
})

t.test('every change of a state is on record, and stays when the object is gone', async (t) => {
  const { object_id } = await upload('soon gone')
  const before = await stack.ask(`DELETE /v1/files/objects/${object_id}`)
  t.strictSame(before.body, { object_id, deleted: true })
  t.equal((await stack.ask(`GET /v1/files/objects/${object_id}`)).status, 404)
  t.equal((await stack.ask(`POST /v1/files/objects/${object_id}/download-url`, { body: {} })).status, 404)
  await until(async () => (await store.list(`files/objects/${object_id}/`)).length === 0)
  const Row = z.object({ to_status: z.string(), deleted: z.boolean() })
  const changes = await db.any(sql.type(Row)`
    select to_status, deleted from files.state_changes where object_id = ${object_id} order by id`)
  t.strictSame(
    changes.map(({ to_status, deleted }) => (deleted ? 'deleted' : to_status)),
    ['awaiting_upload', 'pending', 'scanning', 'clean', 'deleted'],
  )
})
