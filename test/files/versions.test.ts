import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as versions from '#sql/files/versions.ts'
import { filesStack, put } from '../support/files-stack.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const stack = await filesStack(t)
const { ask, send, settled, download } = stack
const { db } = stack.base
await stack.startWorkers()

const eicar = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'
const start = async (id: string, text: string, more = {}) =>
  await ask(`POST /v1/files/objects/${id}/versions`, {
    body: { content_type: 'text/plain', byte_size: Buffer.byteLength(text), ...more },
  })

/** Uploads a version and waits for its verdict; its own id. */
async function replace(id: string, text: string, more = {}): Promise<string> {
  const { body, text: said, status } = await start(id, text, more)
  if (status !== 200) throw new Error(said)
  await put(body, text)
  await ask(`POST /v1/files/uploads/${body.object_id}/complete`, { body: {} })
  await settled(body.object_id)
  return body.object_id
}
const textOf = async (id: string) => (await download(id)).bytes?.toString()
const read = async (id: string) => (await ask(`GET /v1/files/objects/${id}`)).body

const first = (await send('the first letter', { filename: 'letter.txt' })).body.object_id as string
await settled(first)

t.test('new bytes are served once they are found clean, and those before until then', async (t) => {
  const { body } = await start(first, 'the second letter')
  t.match(body, { version_of: first, version: 2, scan_status: 'awaiting_upload' })
  t.match(await read(first), {
    object_id: first,
    version: 1,
    scan_status: 'clean',
    newest_version: { object_id: body.object_id, version: 2, scan_status: 'awaiting_upload' },
  })
  t.equal(await textOf(first), 'the first letter')
  await put(body, 'the second letter')
  await ask(`POST /v1/files/uploads/${body.object_id}/complete`, { body: {} })
  await settled(body.object_id)
  t.equal(await textOf(first), 'the second letter')
  t.match(await read(first), { object_id: first, version: 2, byte_size: 17, newest_version: null })
  t.match(await read(body.object_id), { object_id: body.object_id, version: 2 })
  const { data } = (await ask(`GET /v1/files/objects/${body.object_id}/versions`)).body
  t.match(data, [
    { object_id: body.object_id, version: 2, served: true, filename: 'letter.txt' },
    { object_id: first, version: 1, served: false },
  ])
  t.match((await ask('GET /v1/files/objects')).body.data, [{ object_id: first, version: 2 }], 'it is listed once')
})

t.test('a version that is infected is never served', async (t) => {
  const bad = await replace(first, eicar)
  t.match(await read(bad), { scan_status: 'infected' })
  t.equal(await textOf(first), 'the second letter')
  t.match(await read(first), {
    version: 2,
    scan_status: 'clean',
    newest_version: { version: 3, scan_status: 'infected' },
  })
})

t.test('a served version that turns out to be infected, or is deleted, gives way to the one before', async (t) => {
  const third = await replace(first, 'the third letter', { filename: 'third.txt' })
  t.match((await ask(`POST /v1/files/objects/${first}/download-url`, { body: {} })).body, {
    object_id: first,
    version: 4,
    filename: 'third.txt',
  })
  await db.query(sql.typeAlias('void')`update files.objects set scan_status = 'infected' where id = ${third}`)
  t.equal(await textOf(first), 'the second letter')
  t.equal((await ask(`DELETE /v1/files/objects/${third}`)).status, 200)
  t.match(await read(first), { version: 2 })
})

t.test('versions that are begun at once have numbers of their own', async (t) => {
  const started = await Promise.all(Array.from({ length: 4 }, () => start(first, 'x')))
  t.strictSame(started.map(({ body }) => body.version).sort(), [5, 6, 7, 8])
})

t.test('an object with a hundred versions gets no other', async (t) => {
  const { body } = await send('many', { filename: 'many.txt' })
  await db.query(sql.typeAlias('void')`
    insert into files.objects (id, org_id, product_key, tenant_id, filename, content_type, byte_size, incoming_key,
      upload_expires_at, version_of, version)
    select gen_random_uuid(), org_id, product_key, tenant_id, filename, content_type, 0, 'incoming/v' || n, now(), id, n
    from files.objects, generate_series(2, 100) as n where id = ${body.object_id}`)
  t.match(await start(body.object_id, 'x'), { status: 409, body: { error: { code: 'too_many_versions' } } })
})

t.test('an object whose first bytes have not come has no versions', async (t) => {
  const { body } = await ask('POST /v1/files/uploads', {
    body: { product_key: 'p', tenant_id: 't', filename: 'a.txt', content_type: 'text/plain', byte_size: 5 },
  })
  t.match(await start(body.object_id, 'x'), { status: 409, body: { error: { code: 'not_uploaded' } } })
})

t.test('with the first version all of them are deleted', async (t) => {
  const one = (await send('one', { filename: 'a.txt' })).body.object_id as string
  const two = await replace(one, 'two')
  t.equal((await ask(`DELETE /v1/files/objects/${one}`)).status, 200)
  for (const id of [one, two]) t.equal((await ask(`GET /v1/files/objects/${id}`)).status, 404)
  t.equal((await start(one, 'x')).status, 404)
})

t.test('a version that is begun while its object is deleted goes with it', async (t) => {
  const one = (await send('one', { filename: 'a.txt' })).body.object_id as string
  const id = newId()
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const beginning = db.transaction(async (tx) => {
    await versions.reserveNextVersion(tx, one)
    await tx.query(sql.typeAlias('void')`
      insert into files.objects (id, org_id, product_key, tenant_id, filename, content_type, byte_size, incoming_key,
        upload_expires_at, version_of, version)
      select ${id}, org_id, product_key, tenant_id, filename, content_type, 0, ${id}, now(), id, 2
      from files.objects where id = ${one}`)
    begun.resolve()
    await ended.promise
  })
  await begun.promise
  const deletion = ask(`DELETE /v1/files/objects/${one}`)
  const waiting = sql.type(z.object({ pid: z.number() }))`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await until(() => db.exists(waiting), { what: 'the deletion waits' })
  ended.resolve()
  await beginning
  t.equal((await deletion).status, 200)
  t.equal((await ask(`GET /v1/files/objects/${id}`)).status, 404)
})

t.test('bad input is refused by its field, and nobody else finds an object', async (t) => {
  const good = { content_type: 'text/plain', byte_size: 1 }
  const bad: [object, string][] = [
    ...[undefined, null, 1, '', 'text', 'a'.repeat(201)].map((content_type): [object, string] => [
      { ...good, content_type },
      'body.content_type',
    ]),
    ...[undefined, null, '1', -1, 1.5].map((byte_size): [object, string] => [{ ...good, byte_size }, 'body.byte_size']),
    ...[null, 1, '', 'a/b', 'a\u0000b', 'a'.repeat(256)].map((filename): [object, string] => [
      { ...good, filename },
      'body.filename',
    ]),
    ...[null, 1, '', 'zz', 'a'.repeat(65)].map((checksum_sha256): [object, string] => [
      { ...good, checksum_sha256 },
      'body.checksum_sha256',
    ]),
    ...[null, 1, {}, { origins: [] }].map((browser): [object, string] => [{ ...good, browser }, 'body.browser']),
    [{ ...good, product_key: 'other' }, 'body'],
  ]
  for (const [body, field] of bad) {
    const reply = await ask(`POST /v1/files/objects/${first}/versions`, { body })
    t.equal(reply.status, 400, JSON.stringify(body).slice(0, 80))
    t.ok(
      fieldsOf(reply).some((named) => named.startsWith(field)),
      `${fieldsOf(reply)} has ${field}`,
    )
  }
  for (const body of [
    {},
    { page: 0 },
    { page: 1.5 },
    { page: '1' },
    { size: 15 },
    { size: 2_049 },
    { size: null },
    { other: 1 },
    { tenant_id: '' },
  ].slice(1))
    t.equal((await ask(`POST /v1/files/objects/${first}/preview-url`, { body })).status, 400, JSON.stringify(body))
  const { keys } = await testOrg(db, ['files:read', 'files:write'])
  const theirs = { key: keys.main, body: good }
  t.equal((await ask(`POST /v1/files/objects/${first}/versions`, theirs)).status, 404)
  t.equal((await ask(`GET /v1/files/objects/${first}/versions`, { key: keys.main })).status, 404)
  t.equal((await ask(`POST /v1/files/objects/${first}/preview-url`, { key: keys.main, body: {} })).status, 404)
  const elsewhere = { ...good, tenant_id: 'another' }
  t.equal((await ask(`POST /v1/files/objects/${first}/versions`, { body: elsewhere })).status, 404)
})
