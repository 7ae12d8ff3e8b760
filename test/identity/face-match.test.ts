import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import sharp from 'sharp'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { createFaceEngine } from '../../workers/identity/engine.ts'
import { blankPng } from '../support/blank-png.ts'
import { testDatabase } from '../support/database.ts'
import { people, sample } from '../support/faces.ts'
import { fieldsOf, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { startWorkers } from '../support/video-stack.ts'

t.setTimeout(240_000)
const { db, url: databaseUrl } = await testDatabase(t)
const ingress = await testIngress(t, db, [], { only: ['identity'] })
const [{ keys, org }, other] = await Promise.all([testOrg(db, ['identity:verify']), testOrg(db, ['identity:read'])])
const folder = t.testdir({ data: {}, tmp: {} })
const worker = await startWorkers(t, {
  databaseUrl,
  store: { url: 'http://127.0.0.1:1' },
  data: `${folder}/data`,
  pools: 'identity',
  under: [],
  environment: { TMPDIR: `${folder}/tmp`, LOG_LEVEL: 'trace' },
})

const text = (image: Buffer | string) => (typeof image === 'string' ? image : image.toString('base64'))
const match = (a: Buffer | string, b: Buffer | string, more = {}) =>
  ingress.ask('POST /v1/identity/face-match', {
    key: keys.main,
    body: { image_a: text(a), image_b: text(b), ...more },
  })
const faceOf = (index: number, altered?: Parameters<(typeof people)[number]['face']>[0]) =>
  people[index]?.face(altered) as Promise<Buffer>
const [ann, ben] = await Promise.all([faceOf(0), faceOf(1)])
/** Bytes that the worker has had written to a disk. */
const written = async () => Number(/^write_bytes: (\d+)/m.exec(await readFile(`/proc/${worker.pid}/io`, 'utf8'))?.[1])

t.test('one person’s pictures match, two people’s do not, and near the threshold nothing is said', async (t) => {
  const poor = await faceOf(0, (face) => face.resize(160).jpeg({ quality: 30 }))
  const both = () => match(ann, `data:image/jpeg;base64,${poor.toString('base64')}`)
  // The engine comes up with the first comparison, which a busy machine may not wait for.
  await until(async () => ![503, 504].includes((await both()).status), { timeout: 90_000 })
  const same = await both()
  t.match(
    same,
    {
      status: 200,
      body: {
        match: true,
        decision: 'match',
        threshold: 0.5,
        liveness: 'not_performed',
        images_stored: false,
        faces: { a: { count: 1, quality: { width_px: Number } }, b: { bounding_box: { x: Number, width: Number } } },
        model: { name: 'face-api/dlib-resnet', version: '1.7.15' },
      },
    },
    same.text,
  )
  t.ok(same.body.distance < 0.45 && same.body.similarity > 0.6, same.text)
  t.notMatch(same.text, /descriptor/)
  const { body } = await match(ann, ben)
  t.match(body, { match: false, decision: 'no_match' })
  t.ok(body.distance > 0.6, `${body.distance}`)
  const near = Math.floor((body.distance - 0.05) * 100) / 100
  t.match((await match(ann, ben, { threshold: near })).body, {
    match: false,
    decision: 'inconclusive',
    threshold: near,
  })
})

t.test('what cannot be compared is refused with the name of each picture at fault', async (t) => {
  const blank = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#aaa' } })
      .png()
      .toBuffer()
  const [none, tiny] = await Promise.all([blank(400, 300), blank(20, 20)])
  const huge = blankPng(10_000, 10_000)
  const cases: [Buffer, Buffer, [string, string][]][] = [
    [
      none,
      await readFile(sample('sample1')),
      [
        ['image_a', 'no_face_detected'],
        ['image_b', 'multiple_faces'],
      ],
    ],
    [
      huge,
      tiny,
      [
        ['image_a', 'image_too_large'],
        ['image_b', 'face_too_small'],
      ],
    ],
    [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><rect/></svg>'),
      Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
      [
        ['image_a', 'unsupported_image_format'],
        ['image_b', 'unsupported_image_format'],
      ],
    ],
    [
      ann.subarray(0, 3_000),
      Buffer.from('GIF89a'),
      [
        ['image_a', 'unreadable_image'],
        ['image_b', 'unsupported_image_format'],
      ],
    ],
  ]
  for (const [a, b, expected] of cases) {
    const reply = await match(a, b)
    t.match(reply, { status: 400, body: { error: { code: expected[0]?.[1] } } }, reply.text)
    const told = reply.body.error.details as { field: string; code: string; issue: string }[]
    t.same(
      told.map(({ field, code }) => [field, code]),
      expected.map(([image, code]) => [`body.${image}`, code]),
    )
    for (const { issue } of told) t.ok(reply.body.error.message.includes(issue))
  }
  t.match((await match(cases[2]?.[0] as Buffer, cases[2]?.[1] as Buffer)).text, /HEIC.+JPEG/, 'with a hint')
})

t.test('what is no picture in base64 is refused before anything is asked of a worker', async (t) => {
  const bodies: [unknown, string[]][] = [
    [{}, ['body.image_a', 'body.image_b']],
    [{ image_a: 7, image_b: '' }, ['body.image_a', 'body.image_b']],
    [{ image_a: 'data:image/png,abc', image_b: 'no base64!' }, ['body.image_a', 'body.image_b']],
    [{ image_a: 'A'.repeat(12_000_000), image_b: 'AAAA', threshold: 0.9 }, ['body.image_a', 'body.threshold']],
    [{ image_a: 'AAAA', image_b: 'AAAA', subject: 'x' }, ['body.subject']],
  ]
  for (const [body, fields] of bodies) {
    const reply = await ingress.ask('POST /v1/identity/face-match', { key: keys.main, body })
    t.equal(reply.status, 400, reply.text.slice(0, 200))
    t.same(fieldsOf(reply), fields)
  }
  const large = await match('A'.repeat(9_000_000), 'A'.repeat(9_000_000))
  t.match(large, { status: 413 })
})

t.test('a picture is in no table, no log line and no file', async (t) => {
  const before = await written()
  t.equal((await match(ann, ann)).status, 200)
  t.equal((await written()) - before, 0, 'nothing of it went to a disk')
  t.same(await readdir(`${folder}/tmp`), [])
  const slice = ann.toString('base64').slice(1_000, 1_040)
  const Table = z.object({ schema: z.string(), name: z.string() })
  const tables = await db.any(sql.type(Table)`
    select schemaname as schema, tablename as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`)
  t.ok(tables.some(({ schema, name }) => `${schema}.${name}` === 'jobs.runs'))
  const holding = tables.map(
    ({ schema, name }) => sql.fragment`
      select ${schema} as schema, ${name} as name from ${sql.identifier([schema, name])} as r
      where r::text like ${`%${slice}%`}`,
  )
  t.same(await db.any(sql.type(Table)`${sql.join(holding, sql.fragment` union all `)}`), [])
  const hex = ann.toString('hex').slice(2_000, 2_040)
  t.notOk(worker.lines.some((line) => line.includes(slice) || line.includes(hex)))
  const runs = await db.any(sql.type(z.object({ result: z.string() }))`
    select result::text from jobs.runs where task = 'identity/match-faces' and result is not null`)
  t.ok(runs.length > 5)
  for (const { result } of runs) t.ok(result.length < 2_000, 'an answer has figures, and no descriptor')
})

t.test(
  'what is held at once is bounded: more is refused before its body is read, and others keep their part',
  async (t) => {
    const { hostname, port } = new URL(ingress.url)
    const head = [
      ...['POST /v1/identity/face-match HTTP/1.1', 'host: x', `authorization: Bearer ${keys.main}`],
      ...['content-type: application/json', 'content-length: 5000', 'expect: 100-continue', '', ''],
    ].join('\r\n')
    const begun = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const socket: Socket = connect(Number(port), hostname)
        t.teardown(() => socket.destroy())
        socket.write(head)
        // Asked to go on, it has its place.
        const [answer] = await once(socket, 'data')
        return String(answer)
      }),
    )
    for (const answer of begun) t.match(answer, /^HTTP\/1.1 100/)
    const refused = await match(ann, ben)
    t.match(refused, { status: 429, body: { error: { code: 'rate_limited' } } })
    t.ok(Number(refused.headers.get('retry-after')) > 0)
    const ofOther = await ingress.ask('POST /v1/identity/face-match', { key: other.keys.main, body: {} })
    t.equal(ofOther.status, 400, 'another organisation is heard')
    t.not(org.id, other.org.id)
  },
)

// The last one here: the engine blocks formats for its whole process, the test's own sharp among it.
t.test('what waits for the engine to come up may give up; who comes next has the same one', async (t) => {
  let started = 0
  const count = () => started++
  process.on('worker', count)
  const engine = createFaceEngine()
  t.teardown(async () => {
    process.off('worker', count)
    await engine.close()
  })
  const pictures = () => ({ image_a: new Uint8Array(ann), image_b: new Uint8Array(ben) })
  const given = pictures()
  const hasty = new AbortController()
  const first = engine.compare(given, hasty.signal)
  hasty.abort(new Error('given up'))
  await t.rejects(first, { message: 'given up' })
  t.ok(given.image_a.every((byte) => byte === 0))
  t.match(await engine.compare(pictures(), AbortSignal.timeout(60_000)), { distance: Number })
  t.equal(started, 1)
})
