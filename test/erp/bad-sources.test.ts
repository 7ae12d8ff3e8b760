import { gzipSync } from 'node:zlib'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { openFile } from '#tasks/erp/rules/open-file.ts'
import { readRecords } from '#tasks/erp/rules/read-records.ts'
import { type GivenSource, readSource } from '#tasks/erp/rules/source-facts.ts'
import { fieldsOf } from '../support/ingress.ts'
import { commandLine } from '../support/millrace.ts'
import { zipped } from '../support/zip.ts'
import { type Answer, startKeeper } from './sources-web.ts'
import { erpStack } from './stack.ts'

const stack = await erpStack(t)
const { db, ask, put, fetched } = stack
const keeper = await startKeeper(t)
await stack.startWorker({ outbound: keeper.outbound, data: t.testdir() })
const count = () => db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*) as n from erp.companies`)

t.test('what makes no sense of a source is told by the option', async (t) => {
  const good: GivenSource = { name: 'mine', profile: 'generic', url: 'https://register.example/a.csv' }
  const told = (given: Partial<GivenSource>) => {
    const faults: string[] = []
    const source = readSource({ ...good, ...given }, (option) => faults.push(option))
    return source === null ? faults : []
  }
  t.same(told({}), [])
  t.same(told({ profile: 'gleif', url: undefined }), [])
  const map = ['code=No', 'name=Firma']
  t.same(told({ map: [...map, 'status==active'], status: ['Radiée=dissolved', 'a=b=active'] }), [])
  const bad: [Partial<GivenSource>, ...string[]][] = [
    [{ name: '' }, 'name'],
    [{ name: 'Große' }, 'name'],
    [{ name: 'a'.repeat(41) }, 'name'],
    [{ profile: 'fr' }, '--profile'],
    [{ profile: '__proto__' }, '--profile'],
    [{ url: undefined }, '--url'],
    [{ url: 'register.example' }, '--url'],
    [{ url: 'http://register.example/a.csv' }, '--url'],
    [{ url: 'file:///etc/passwd' }, '--url'],
    [{ url: 'https://user:secret@register.example/' }, '--url'],
    [{ url: 'https://127.0.0.2/a.csv' }, '--url'],
    [{ url: 'https://169.254.169.254/latest' }, '--url'],
    [{ url: 'https://[::1]/a.csv' }, '--url'],
    [{ url: 'https://register.example/{day}.csv' }, '--url'],
    [{ url: `https://register.example/${'a'.repeat(2_000)}` }, '--url'],
    [{ register: ' ' }, '--register'],
    [{ register: 'a'.repeat(81) }, '--register'],
    [{ register: 'a\nb' }, '--register'],
    [{ jurisdiction: 'estonia' }, '--jurisdiction'],
    [{ jurisdiction: 'EE' }, '--jurisdiction'],
    [{ profile: 'ee-officers', jurisdiction: 'ee' }, '--jurisdiction'],
    [{ licence: '' }, '--licence'],
    [{ licence: 'a'.repeat(301) }, '--licence'],
    [{ recordUrl: 'https://register.example/' }, '--record-url'],
    [{ recordUrl: 'javascript:alert({code})' }, '--record-url'],
    [{ every: '0' }, '--every'],
    [{ every: '1.5' }, '--every'],
    [{ every: 'daily' }, '--every'],
    [{ every: '9000' }, '--every'],
    [{ leastPercent: '-1' }, '--least-percent'],
    [{ leastPercent: '101' }, '--least-percent'],
    [{ leastPercent: '' }, '--least-percent'],
    [{ mostMb: '0' }, '--most-mb'],
    [{ mostMb: '30000' }, '--most-mb'],
    [{ mostRows: '0' }, '--most-rows'],
    [{ mostRows: '1e99' }, '--most-rows'],
    [{ records: ' ' }, '--records'],
    [{ map: ['code'] }, '--map', '--map', '--map'],
    [{ map: ['code=No'] }, '--map'],
    [{ map: [...map, 'colour=C'] }, '--map'],
    [{ map: [...map, 'code=Other'] }, '--map'],
    [{ map: [...map, 'city= '] }, '--map'],
    [{ profile: 'uk', map }, '--map'],
    [{ status: ['radiée'] }, '--status'],
    [{ status: ['radiée=gone'] }, '--status'],
    [{ profile: 'uk', status: ['a=active'] }, '--status'],
    [{ name: '-', every: 'x', url: 'ftp://x', licence: '' }, 'name', '--url', '--every', '--licence'],
  ]
  for (const [given, ...options] of bad) t.same(told(given), options, JSON.stringify(given))
})

t.test('a bad file is told of beside its source, and leaves what is known', async (t) => {
  const csv = 'code,name,jurisdiction\nB1,First Ltd,xb\n'
  keeper.at.bad = csv
  await put('bad', { url: `${keeper.url}/bad` })
  t.match(await fetched('bad'), { last: { state: 'done' } })
  const before = await count()
  const data = (bytes: string | Buffer) => zipped([{ name: 'a.csv', bytes }])
  const files: [string, string | Buffer, RegExp][] = [
    ['no first line of ours', 'nimi;kood\n1;2\n', /does not contain code, name/],
    ['a page in place of a file', '<!doctype html><title>Sign in</title>', /does not contain/],
    ['no company', 'code,name\n', /no valid company/],
    ['an open quote', 'code,name\nZ1,"open\n', /not valid CSV/],
    ['no UTF-8', Buffer.from('code,name\nZ2,\xd5un\n', 'latin1'), /not UTF-8 text/],
    ['half of gzip', gzipSync(csv.repeat(50)).subarray(0, 40), /gzip/],
    ['half of zip', data(csv).subarray(0, 60), /is incomplete/],
    ['zip of nothing', zipped([]), /contains no file/],
    ['zip of a picture', zipped([{ name: 'a.png', bytes: 'x' }]), /no CSV or JSON/],
    [
      'zip of two',
      zipped(['a', 'b'].map((name) => ({ name: `${name}.csv`, bytes: csv }))),
      /several files: a.csv, b.csv/,
    ],
    ['zip with a password', zipped([{ name: 'a.csv', bytes: csv, flags: 1 }]), /encrypted/],
    ['zip of other bytes', zipped([{ name: 'a.csv', bytes: csv, crc: 1 }]), /checksum of its file is wrong/],
    ['zip with a torn list', Buffer.concat([data(csv).subarray(0, 70), data(csv).subarray(-22)]), /damaged/],
    ['half of JSON', '[{"code": "1", "name": "A", "jurisdiction": "xb"}, {"code"', /not complete JSON/],
    ['JSON of another shape', '{"companies": {"code": 1}}', /does not contain code, name/],
    ['JSON that closes too much', '{"code": "1", "name": "A", "jurisdiction": "xb"}}', /too many closing brackets/],
    ['JSON of nothing', '[]', /is empty/],
    ['deep JSON', `[{"code": ${'['.repeat(80)}${']'.repeat(80)}}]`, /levels of nesting/],
    [
      'faults alone',
      `code,name,jurisdiction\n${',x,\n'.repeat(1_200)}`,
      /1001 of the first .* records are faulty.*invalid jurisdiction/,
    ],
  ]
  for (const [what, bytes, why] of files) {
    keeper.at.bad = bytes
    const { source, last } = await fetched('bad')
    t.match(last, { state: 'failed', error: why }, what)
    t.match(source, { error: why, failures: Number }, what)
  }
  t.equal(await count(), before)
  const answers: [string, Answer, RegExp][] = [
    ['nothing there', (_, res) => res.writeHead(404).end(), /404/],
    ['an error', (_, res) => res.writeHead(503).end('later'), /503/],
    ['nothing in it', '', /empty/],
    [
      'a way to plain HTTP',
      (_, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      /connection failed/,
    ],
    ['a way in', (_, res) => res.writeHead(302, { location: 'https://10.0.0.1/' }).end(), /refused|not public|address/],
    ['ways round', (_, res) => res.writeHead(302, { location: '/bad' }).end(), /redirects/],
    [
      'an end amid it',
      (_, res) => res.writeHead(200, { 'content-length': '99' }).end('code', () => res.destroy()),
      /failed/,
    ],
  ]
  for (const [what, answer, why] of answers) {
    keeper.at.bad = answer
    const imported = (await fetched('bad')).source
    t.match(imported, { error: why }, what)
    t.ok(imported.next_at.getTime() < Date.now() + 86_400_000, 'it is tried again before its turn')
  }
  await put('bad', { url: `${keeper.url}/bad`, most_bytes: 10 })
  keeper.at.bad = csv
  t.match((await fetched('bad')).source, { error: /longer than 10 bytes/ })
  t.equal(await count(), before)
})

t.test('what unpacks without an end, and records without an end, are not read to theirs', async (t) => {
  const fileOf = (bytes: Buffer) => ({
    bytes: bytes.length,
    read: async (from: number, to: number) =>
      (async function* () {
        yield bytes.subarray(from, to)
      })(),
  })
  const drained = async (bytes: AsyncIterable<unknown>) => {
    let chunks = 0
    for await (const _ of bytes) chunks++
    return chunks
  }
  const bomb = Buffer.alloc(64 * 2 ** 20)
  await t.rejects(drained(openFile(fileOf(gzipSync(bomb)))), {
    name: 'ImportError',
    message: /unpacked file is larger than/,
  })
  await t.rejects(drained(openFile(fileOf(zipped([{ name: 'a.csv', bytes: bomb }])))), {
    message: /unpacked file is larger than/,
  })
  const endless = (begin: string, more: string) =>
    (async function* () {
      yield Buffer.from(begin)
      for (;;) yield Buffer.from(more)
    })()
  const shape = { headings: [], records: [] }
  for (const [begin, more] of [
    ['[{"a": "', 'x'.repeat(10_000)],
    ['a,b\n"', 'x'.repeat(10_000)],
    ['{"a": [', '[1],'.repeat(1_000)],
  ] as const)
    await t.rejects(drained(readRecords(endless(begin, more), shape)), { name: 'ImportError' }, begin)
})

t.test('bad questions of changes and officers name what is wrong; the command tells all at once', async (t) => {
  const bad: [string, number, string[]][] = [
    ['imports/1/changes', 404, []],
    [`imports/${crypto.randomUUID()}/changes?limit=0`, 400, ['query.limit']],
    [`imports/${crypto.randomUUID()}/changes?limit=1001`, 400, ['query.limit']],
    ['companies/12417835/officers?jurisdiction=ee', 400, ['path.code']],
    ['companies/1/officers?jurisdiction=estonia', 400, ['query.jurisdiction']],
    ['companies/none/officers', 404, []],
  ]
  for (const [path, status, fields] of bad) {
    const reply = await ask(`GET /v1/erp/${path}`)
    t.equal(reply.status, status, path)
    if (fields.length > 0) t.same(fieldsOf(reply), fields, path)
  }
  const { run } = commandLine(stack.databaseUrl)
  const [wrong, added, none] = await Promise.all([
    run('erp add X --profile fr --every 0', {}),
    run('erp add uk-live --profile uk', {}),
    run('erp confirm 00000000-0000-7000-8000-000000000000', {}),
  ])
  t.equal(wrong.code, 2)
  for (const fault of [/name: must be 1 to 40/, /--profile: must be one of ee, /, /--every: must be a whole number/])
    t.match(wrong.err, fault)
  t.match(added, { code: 0, out: /Source uk-live is saved/ })
  t.match(none, { code: 2, err: /No import .* is waiting for confirmation/ })
  t.match((await run('erp', {})).out, /uk-live +uk +Companies House/)
  t.match(await run('erp remove uk-live', {}), { code: 0 })
  const did = await db.any(sql.type(z.object({ action: z.string() }))`
    select action from jobs.actions where target = 'source uk-live' order by id`)
  t.same(did, [{ action: 'add' }, { action: 'remove' }])
})
