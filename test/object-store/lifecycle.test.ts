import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import * as s3 from '@aws-sdk/client-s3'
import t from 'tap'
import { startObjectStore } from '../../ops/embedded/object-store/server.ts'
import { newIncomingKey } from '../../tasks/files/rules/keys.ts'
import { until } from '../support/until.ts'
import { blobFiles, keys, makeClient, send, sign, startFixture } from './fixture.ts'

const day = 24 * 3600 * 1000
const product = join(import.meta.dirname, '../../ops/deploy/lifecycle.xml')
const program = join(import.meta.dirname, '../../ops/embedded/object-store/main.ts')

/** Returns the first midnight UTC that is at least `days` days away. */
const midnight = (days: number) => Math.ceil((Date.now() + days * day) / day) * day

const clock = { shift: 0 }
const store = await startFixture(t, { sweeps: { every: 20, now: () => Date.now() + clock.shift } })
const client = store.client()
const Bucket = 'media'

const configure = (...Rules: s3.LifecycleRule[]) =>
  client.send(new s3.PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }))
const configured = async () =>
  (await client.send(new s3.GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules ?? []
const put = (Key: string) => client.send(new s3.PutObjectCommand({ Bucket, Key, Body: Key }))
const held = async () =>
  ((await client.send(new s3.ListObjectsV2Command({ Bucket }))).Contents ?? []).map(({ Key }) => Key)
const open = async () =>
  ((await client.send(new s3.ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []).map(({ Key }) => Key)

const rule = (Prefix: string, more: Partial<s3.LifecycleRule>): s3.LifecycleRule => ({
  ID: `rule of ${Prefix}`,
  Filter: { Prefix },
  Status: 'Enabled',
  ...more,
})

t.test('rules are kept as they were set, for their bucket alone, until they are deleted', async (t) => {
  await t.rejects(configured(), { name: 'NoSuchLifecycleConfiguration', $metadata: { httpStatusCode: 404 } })
  const rules = [
    rule('a & <b>/', { Expiration: { Days: 3 }, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }),
    rule('', { Status: 'Disabled', Expiration: { Date: new Date(midnight(400)) } }),
  ]
  await configure(...rules)
  t.same(await configured(), rules)
  await t.rejects(client.send(new s3.GetBucketLifecycleConfigurationCommand({ Bucket: 'other' })), {
    name: 'NoSuchLifecycleConfiguration',
  })
  await configure(rules[1] as s3.LifecycleRule)
  t.same(await configured(), rules.slice(1))
  for (const _ of [1, 2]) await client.send(new s3.DeleteBucketLifecycleCommand({ Bucket }))
  await t.rejects(configured(), { name: 'NoSuchLifecycleConfiguration' })
})

t.test('rules that are wrong, or that could not be followed, are refused and change nothing', async (t) => {
  await configure(rule('kept/', { Expiration: { Days: 3 } }))
  const Expiration = { Days: 1 }
  const refused: [string, s3.LifecycleRule[]][] = [
    ['InvalidRequest', [rule('x', {})]],
    ['InvalidArgument', [rule('x', { Expiration: { Days: 0 } })]],
    ['InvalidArgument', [rule('x', { Expiration: { Date: new Date(midnight(1) + 1) } })]],
    ['InvalidArgument', [rule('x', { Expiration }), rule('x', { Expiration })]],
    ['MalformedXML', [rule('x', { Status: 'On' as 'Enabled', Expiration })]],
    ['MalformedXML', [rule('x', { Expiration: { ...Expiration, Date: new Date(midnight(1)) } })]],
    ['NotImplemented', [rule('x', { Transitions: [{ Days: 1, StorageClass: 'GLACIER' }] })]],
    ['NotImplemented', [{ ...rule('x', { Expiration }), Filter: { Tag: { Key: 'a', Value: 'b' } } }]],
    ['NotImplemented', [{ ...rule('x', { Expiration }), Filter: { ObjectSizeLessThan: 5 } }]],
  ]
  for (const [name, rules] of refused) await t.rejects(configure(...rules), { name }, JSON.stringify(rules))
  const bodies = ['', '<LifecycleConfiguration/>', '<LifecycleConfiguration><Rule/></LifecycleConfiguration>']
  for (const body of bodies) {
    const wire = sign(store, { method: 'PUT', path: '/media?lifecycle', body })
    t.match(await send(store, wire), { status: 400, code: 'MalformedXML' }, body)
  }
  t.match(await send(store, { method: 'DELETE', path: '/media?lifecycle' }), { status: 403 })
  t.same(await configured(), [rule('kept/', { Expiration: { Days: 3 } })])
})

t.test(
  'objects go when their days are over and uploads when theirs are, and nothing goes before or beside',
  async (t) => {
    for (const key of ['later/1', 'off/1', 'soon', 'soon/1', 'soon/ü', 'sooner', 'z']) await put(key)
    for (const Key of ['later/up', 'soon/up', 'z'])
      await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key }))
    const begun = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key: 'soon/part' }))
    await client.send(
      new s3.UploadPartCommand({ Bucket, Key: 'soon/part', UploadId: begun.UploadId, PartNumber: 1, Body: 'part' }),
    )
    const files = (await blobFiles(store.dir)).length
    // Rules are applied in order: when the last one is done, the others are too.
    await configure(
      rule('later/', { Expiration: { Days: 2 }, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 } }),
      rule('off/', { Status: 'Disabled', Expiration: { Days: 1 } }),
      rule('soon/', { Expiration: { Days: 1 }, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }),
    )
    clock.shift = midnight(1) - Date.now()
    await until(async () => !(await open()).includes('soon/up'), { what: 'the upload of one day gone' })
    t.same(await open(), ['later/up', 'z'])
    t.same(await held(), ['later/1', 'off/1', 'soon', 'sooner', 'z'])
    await until(async () => (await blobFiles(store.dir)).length === files - 3, { what: 'their bytes gone' })
    clock.shift = midnight(2) - Date.now()
    await until(async () => !(await open()).includes('later/up'), { what: 'the upload of two days gone' })
    t.same(await held(), ['off/1', 'soon', 'sooner', 'z'])
    await configure(rule('soon', { Expiration: { Date: new Date(midnight(0)) } }))
    await until(async () => (await held()).length === 2, { what: 'those gone whose date has come' })
    t.same(await held(), ['off/1', 'z'])
  },
)

t.test('s3cmd sets, shows and deletes rules unchanged, and so the ones that an operator sets elsewhere', async (t) => {
  const host = `127.0.0.1:${store.port}`
  const access = { access_key: keys.accessKey, secret_key: keys.secretKey, use_https: 'False' }
  const lines = { ...access, host_base: host, host_bucket: host, bucket_location: 'eu-test-1' }
  const config = join(t.testdir(), 's3cfg')
  await writeFile(
    config,
    ['[default]', ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`), ''].join('\n'),
  )
  const s3cmd = async (...args: string[]) =>
    (await promisify(execFile)('s3cmd', ['-c', config, ...args], { env: { PATH: '/usr/bin:/bin' } })).stdout
  await s3cmd('setlifecycle', product, 's3://media')
  const shown = await s3cmd('getlifecycle', 's3://media')
  t.match(shown, /<Prefix>incoming\/<\/Prefix>.*<Days>2<\/Days>.*<DaysAfterInitiation>2<\/DaysAfterInitiation>/s)
  await s3cmd('expire', 's3://media', '--expiry-days=5', '--expiry-prefix=logs/')
  t.match(await configured(), [{ Filter: { Prefix: 'logs/' }, Expiration: { Days: 5 } }])
  await s3cmd('dellifecycle', 's3://media')
  await t.rejects(configured(), { name: 'NoSuchLifecycleConfiguration' })
})

t.test('a store sweeps at its start: by the rules of the product, and files that a power cut left', async (t) => {
  const dir = t.testdir()
  const credentials = join(dir, 'credentials')
  await writeFile(credentials, JSON.stringify({ access_key: keys.accessKey, secret_key: keys.secretKey }), {
    mode: 0o600,
  })
  const args = ['--dir', join(dir, 'store'), '--credentials', credentials, '--region', 'eu-test-1']
  const running = execFile(process.execPath, [program, ...args, '--bucket', Bucket, '--lifecycle', product])
  t.teardown(() => void running.kill('SIGKILL'))
  const line = await new Promise<string>((resolve) => running.stdout?.once('data', (chunk) => resolve(String(chunk))))
  const first = makeClient(/http:\S+/.exec(line)?.[0] ?? '')
  const key = newIncomingKey()
  for (const Key of [key, 'kept']) await first.send(new s3.PutObjectCommand({ Bucket, Key, Body: Key }))
  await first.send(new s3.CreateMultipartUploadCommand({ Bucket, Key: 'never completed' }))
  first.destroy()
  const ended = new Promise((resolve) => running.once('exit', resolve))
  running.kill('SIGTERM')
  await ended

  const stray = join(dir, 'store/blobs/ab', `ab${'0'.repeat(30)}`)
  await mkdir(dirname(stray), { recursive: true })
  await writeFile(stray, 'no name in the ledger')
  const options = { host: '127.0.0.1', port: 0, dir: join(dir, 'store'), region: 'eu-test-1', ...keys }
  const again = await startObjectStore({
    ...options,
    buckets: [Bucket],
    sweeps: { now: () => midnight(2) },
  })
  const second = makeClient(again.url)
  t.teardown(async () => {
    second.destroy()
    await again.close()
  })
  await until(async () => (await blobFiles(options.dir)).length === 1, { what: 'all files but one gone' })
  const { Contents } = await second.send(new s3.ListObjectsV2Command({ Bucket }))
  t.same(
    Contents?.map(({ Key }) => Key),
    ['kept'],
  )
  await until(async () => (await second.send(new s3.ListMultipartUploadsCommand({ Bucket }))).Uploads === undefined, {
    what: 'the upload gone',
  })
  await t.rejects(readFile(stray), { code: 'ENOENT' })
})
