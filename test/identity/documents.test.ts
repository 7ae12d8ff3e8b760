import '../support/identity-environment.ts'
import sharp from 'sharp'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { forgetTries } from '#tasks/identity/forget-tries.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { get, signedIn, submit } from '../app/fixture.ts'
import { blankPng } from '../support/blank-png.ts'
import { documentsStack } from '../support/documents-stack.ts'
import { emittedTo } from '../support/emitted.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { isWhole } from '../support/sample.ts'
import { anna, pageOf, photoOf, td1, td3 } from '../support/specimen.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const stack = await documentsStack(t)
const { ask, complete, documentOf, orgId, promptOf, tried, upload } = stack
const { db } = stack.base
const { url } = stack.base.ingress
const valid = { ...anna, expiry: '400415' }
const passport = await pageOf(td3(valid))
const decided = () => emittedTo(orgId).flatMap((event) => (event.type === 'identity.check.decided' ? [event.data] : []))
/** Whether a worker reads a document just now. */
const isAtWork = () =>
  db.exists(sql.type(z.object({ id: z.string() }))`
    select id::text from jobs_identity_documents._private_jobs where locked_by is not null`)
const record = (body: object) =>
  ask('POST /v1/identity/checks', { body: { requirement: 'identity.document', ...body } })
const readings = async () =>
  await db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*)::int as count from identity.readings`)

t.test('without a reader nothing is read and all goes on; it is read anew once there is one', async (t) => {
  const without = await stack.startReaders({ TESSERACT_PATH: '/nowhere/tesseract' })
  const prompt = await promptOf('early')
  const told = await tried(prompt, passport, 'image/png')
  t.match([told.status, told.body], [200, { outcome: 'not_read', code: 'reader_unavailable' }])
  t.match((await complete(prompt)).body, { status: 'submitted' })
  const nothing = { status: 'unread', reason: 'reader_unavailable', facts: null, age: null, checks: [], sound: false }
  t.match((await documentOf('early')).body, nothing)
  await without.stop()

  const again = await ask('POST /v1/identity/document/read', { body: { idp_sub: 'early' } })
  t.match([again.status, again.body.status], [202, 'waiting'], again.text)
  t.match((await ask('POST /v1/identity/document/read', { body: { idp_sub: 'early' } })).body, { status: 'waiting' })
  const killed = await stack.startReaders({ LEASE_MS: '2000' })
  await until(isAtWork, { timeout: 30_000, what: 'a worker is in the middle of it' })
  await killed.kill()
  t.match((await documentOf('early')).body, { status: 'waiting' })
  await stack.startReaders({ LEASE_MS: '2000' })
  const read = await until(
    async () => {
      const { body } = await documentOf('early')
      return body.status === 'waiting' ? false : body
    },
    { timeout: 60_000, what: 'it is read' },
  )
  t.match(read, {
    subject: 'early',
    status: 'read',
    reason: null,
    facts: {
      format: 'TD3',
      kind: 'passport',
      issuing_state: 'UTO',
      surname: 'ERIKSSON',
      given_names: 'ANNA MARIA',
      document_number: 'L898902C3',
      birth_date: '1974-08-12',
      expiry_date: '2040-04-15',
    },
    expired: false,
    sound: true,
    shared_with: [],
  })
  t.ok(read.age >= 50)
  t.equal(read.checks.length, 6)
})

t.test(
  'what is wrong with a picture is told before it is handed in, and it may be handed in all the same',
  async (t) => {
    const expired = await pageOf(td3(anna))
    const [first = '', second = ''] = td3(valid)
    const nothing = { create: { width: 900, height: 700, channels: 3, background: '#999' } } as const
    const pictures: [string, string | null, Buffer, string][] = [
      ['read', null, await photoOf(passport, 90), 'image/jpeg'],
      ['try_again', 'expired', expired, 'image/png'],
      ['try_again', 'blurred', await sharp(passport).blur(7).jpeg().toBuffer(), 'image/jpeg'],
      ['try_again', 'too_small', await sharp(passport).resize(300).png().toBuffer(), 'image/png'],
      ['try_again', 'no_lines', await sharp(nothing).webp().toBuffer(), 'image/webp'],
      ['try_again', 'unreadable_picture', passport.subarray(0, 2_000), 'image/png'],
      ['try_again', 'too_many_pixels', blankPng(9_000, 9_000), 'image/png'],
    ]
    if (isWhole) {
      const upsideDown = await photoOf(await pageOf(td1({ ...valid, number: 'D23145890' })), 180)
      pictures.unshift(
        ['read', null, upsideDown, 'image/jpeg'],
        ['try_again', 'checks_failed', await pageOf([first, second.replace('L898902C3', 'L898902C8')]), 'image/png'],
      )
    }
    let prompt = await promptOf('pia')
    for (const [i, [outcome, code, bytes, type]] of pictures.entries()) {
      if (i % 5 === 0) prompt = await promptOf('pia')
      const told = await tried(prompt, bytes, type)
      t.match([told.status, told.body], [200, { outcome, code, message: String }], `${i}: ${code} ${told.text}`)
    }
    t.equal((await complete(prompt)).status, 200, 'a person decides, no machine')
    t.match((await documentOf('pia')).body, { status: 'unread', reason: 'too_many_pixels' })
    const kept = await db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::int as count from files.objects where product_key = 'identity' and deleted_at is null`)
    t.equal(kept, 3, 'of each link the last picture alone')
  },
)

t.test(
  'a decision is told once, with its reasons and whether the document held, and without what it says',
  async (t) => {
    const rejection = { idp_sub: 'early', status: 'rejected', code: 'not_the_same_person', reason: 'Another face.' }
    const [one, two] = [await record(rejection), await record(rejection)]
    t.match([one.status, two.status, two.body.status], [200, 200, 'rejected'])
    const of = () =>
      decided().filter(({ subject, requirement }) => subject === 'early' && requirement === 'identity.document')
    t.equal(of().length, 1)
    t.match(of()[0], {
      status: 'rejected',
      decision_id: String,
      reasons: [{ code: 'not_the_same_person', reason: 'Another face.' }],
      document: { status: 'read', failed_checks: [], expired: false, shared_with: 0 },
    })
    t.notMatch(JSON.stringify(of()), /ERIKSSON|L898902C3|1974-08-12|740812/)
    await record({ idp_sub: 'early', status: 'verified' })
    await record({ idp_sub: 'early', status: 'verified' })
    t.same(
      of().map(({ status }) => status),
      ['rejected', 'verified'],
    )
  },
)

t.test('the same document of two subjects is told, of one organisation, and gone with its picture', async (t) => {
  const told = () => emittedTo(orgId).flatMap(({ type, data }) => (type === 'identity.document.read' ? [data] : []))
  const prompt = await promptOf('twin')
  t.match((await tried(prompt, passport, 'image/png')).body, { outcome: 'read' })
  const toldBefore = told().length
  await complete(prompt)
  const event = { subject: 'twin', status: 'read', failed_checks: [], expired: false, shared_with: 1 }
  t.match(told().slice(toldBefore), [event], 'told as it is handed in')
  t.match((await documentOf('twin')).body, { status: 'read', shared_with: ['early'] })
  t.match((await documentOf('early')).body, { shared_with: ['twin'] })
  const stranger = await testOrg(db, ['identity:verify'])
  t.equal((await documentOf('early', stranger.keys.main)).status, 404)
  const before = await readings()
  const { object_id } = (await documentOf('twin')).body
  t.equal((await ask(`DELETE /v1/files/objects/${object_id}`)).status, 200)
  t.equal(await readings(), before - 1, 'facts are erased with their picture')
  t.equal((await documentOf('twin')).status, 404)
  t.match((await documentOf('early')).body, { shared_with: [] })

  const [first = '', second = ''] = td3(valid)
  await record({ idp_sub: 'twin', status: 'rejected', code: 'document_unreadable', reason: 'Blurred.' })
  const again = await promptOf('twin')
  const unsure = await pageOf([first, second.replace('L898902C36', 'L898902C37')])
  t.match((await tried(again, unsure, 'image/png')).body, { code: 'checks_failed' })
  await complete(again)
  t.match(told().at(-1), { subject: 'twin', failed_checks: ['document_number', 'composite'], shared_with: 0 })
  t.match((await documentOf('early')).body, { shared_with: [] }, 'a number that was not read for sure is nobody else’s')

  const left = await promptOf('gone')
  await upload(left, passport, 'image/png')
  t.match((await tried(left, passport, 'image/png')).body, { outcome: 'read' })
  // As while it is scanned anew.
  await db.query(sql.typeAlias('void')`
    update files.objects set scan_status = 'pending' where deleted_at is null and id in (
      select object_id from identity.prompts where used_at is null)`)
  await db.query(sql.typeAlias('void')`update identity.prompts set expires_at = now() where used_at is null`)
  await enqueue(db, forgetTries, {})
  await until(async () => (await readings()) === before - 1, { what: 'what nobody handed in is forgotten' })
  const kept = await db.anyFirst(sql.type(z.object({ id: z.string() }))`
    select o.id from files.objects as o where product_key = 'identity' and deleted_at is null
      and not exists (select from identity.checks as c where c.object_id = o.id)`)
  t.same(kept, [], 'whether it was scanned, uploaded or neither')
})

t.test(
  'members decide with the facts beside the picture, of what they have seen, and of their own alone',
  async (t) => {
    const prompt = await promptOf('vera')
    await tried(prompt, passport, 'image/png')
    await complete(prompt)
    const [owner, viewer] = [await signedIn(db, url, orgId, 'owner'), await signedIn(db, url, orgId, 'viewer')]
    const { text } = await get(url, '/app/identity', owner)
    t.match(text, /vera[\s\S]*checks passed/)
    t.equal((await get(url, '/app/identity', viewer)).status, 403)
    const rows = [...text.matchAll(/href="(\/app\/identity\/[^"]+)">[^<]*<\/a><\/th>\s*<td[^>]*>vera/g)]
    const path = rows[0]?.[1] ?? ''
    const page = await get(url, path, owner)
    t.match(
      page.text,
      /<img class="poster" src="http[\s\S]*ERIKSSON[\s\S]*ANNA MARIA[\s\S]*L898902C3[\s\S]*passed[\s\S]*genuine/,
    )
    t.match(page.text, /was submitted by another subject: early/)
    const stranger = await testOrg(db, [])
    t.equal((await get(url, path, await signedIn(db, url, stranger.org.id, 'owner'))).status, 404)
    const object = (await documentOf('vera')).body.object_id
    t.match((await submit(url, `${path}/verify`, owner, { object: newId() })).text, /A newer file was submitted/)
    t.equal((await submit(url, `${path}/reject`, owner, { object, code: 'x', reason: '' })).status, 400)
    t.equal((await submit(url, `${path}/verify`, owner, { object })).status, 303)
    t.match((await ask('GET /v1/identity/status?idp_sub=vera')).body, { status: 'verified' })
    t.match(
      (await submit(url, `${path}/reject`, owner, { object, code: 'suspected_fraud', reason: 'x' })).text,
      /already verified/,
    )
  },
)

t.test('bad input is refused and names its field', async (t) => {
  const prompt = await promptOf('bea')
  const text = (length: number) => 'x'.repeat(length)
  const reads: [unknown, string[]][] = [
    [{ idp_sub: '' }, ['body.idp_sub']],
    [{ idp_sub: 1 }, ['body.idp_sub']],
    [{ idp_sub: null }, ['body.idp_sub']],
    [{ idp_sub: [] }, ['body.idp_sub']],
    [{ idp_sub: true }, ['body.idp_sub']],
    [{ idp_sub: 'a\n' }, ['body.idp_sub']],
    [{ idp_sub: text(256) }, ['body.idp_sub']],
    [{ requirement: '' }, ['body.requirement']],
    [{ requirement: 5 }, ['body.requirement']],
    [{ requirement: null }, ['body.requirement']],
    [{ requirement: 'identity.selfie' }, ['body.requirement']],
    [{ requirement: 'identity.consent' }, ['body.requirement']],
    [{ requirement: 'constructor' }, ['body.requirement']],
    [{ requirement: text(101) }, ['body.requirement']],
    [{ requirement: {} }, ['body.requirement']],
    [{ more: 1 }, ['body.more']],
    [{ idp_sub: '', requirement: 'x' }, ['body.idp_sub', 'body.requirement']],
    [[], ['body']],
    [{ idp_sub: 'a', requirement: true }, ['body.requirement']],
    [{ idp_sub: {} }, ['body.idp_sub']],
  ]
  for (const [body, fields] of reads) {
    const reply = await ask('POST /v1/identity/document/read', { body })
    t.same([reply.status, [...new Set(fieldsOf(reply))]], [400, fields], JSON.stringify(body)?.slice(0, 60))
  }
  const file = { filename: 'a.jpg', content_type: 'image/jpeg', byte_size: 10 }
  const files: [unknown, string[]][] = [
    [{ ...file, filename: '' }, ['body.filename']],
    [{ ...file, filename: 'a/b' }, ['body.filename']],
    [{ ...file, filename: 'a\\b' }, ['body.filename']],
    [{ ...file, filename: 'a\u0007' }, ['body.filename']],
    [{ ...file, filename: text(256) }, ['body.filename']],
    [{ ...file, filename: 3 }, ['body.filename']],
    [{ ...file, content_type: 'image/svg+xml' }, ['body.content_type']],
    [{ ...file, content_type: 'image/gif' }, ['body.content_type']],
    [{ ...file, content_type: 'image/heic' }, ['body.content_type']],
    [{ ...file, content_type: '' }, ['body.content_type']],
    [{ ...file, content_type: text(101) }, ['body.content_type']],
    [{ ...file, byte_size: 0 }, ['body.byte_size']],
    [{ ...file, byte_size: -1 }, ['body.byte_size']],
    [{ ...file, byte_size: 1.5 }, ['body.byte_size']],
    [{ ...file, byte_size: 11 * 2 ** 20 }, ['body.byte_size']],
    [{ ...file, byte_size: '10' }, ['body.byte_size']],
    [{ ...file, more: 1 }, ['body.more']],
    [{}, ['body.byte_size', 'body.content_type', 'body.filename']],
  ]
  for (const [body, fields] of files) {
    const reply = await ask(`POST ${prompt}/uploads`, { body, key: '' })
    t.same([reply.status, [...new Set(fieldsOf(reply))].sort()], [400, fields], JSON.stringify(body).slice(0, 60))
  }
  for (const query of ['idp_sub=', `idp_sub=${text(256)}`, 'requirement=x', 'requirement=identity.address']) {
    const reply = await ask(`GET /v1/identity/document?${query}`)
    t.match([reply.status, fieldsOf(reply)], [400, [`query.${query.split('=')[0]}`]], query.slice(0, 40))
  }
  t.equal((await ask(`POST ${prompt}/read`, { key: '' })).status, 404, 'nothing is uploaded')
  t.equal((await ask('POST /identity/prompts/x.y/read', { key: '' })).status, 404)
  t.equal((await documentOf('nobody')).status, 404)
  const reader = await testOrg(db, ['identity:read'])
  t.equal((await documentOf('early', reader.keys.main)).status, 403, 'facts are for who decides')
})
