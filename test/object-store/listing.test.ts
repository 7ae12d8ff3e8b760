import * as s3 from '@aws-sdk/client-s3'
import t from 'tap'
import { blobFiles, send, sign, startFixture } from './fixture.ts'

const store = await startFixture(t)
const client = store.client({ requestChecksumCalculation: 'WHEN_REQUIRED' })
const Bucket = 'media'
const keys = ['a', 'a/1', 'a/2', 'a/b/3', 'b+c d', 'b/1', 'c\u0007', 'z', '~', 'é', '\ufffd', '😀']

await Promise.all(keys.map((Key) => client.send(new s3.PutObjectCommand({ Bucket, Key, Body: Key }))))
await client.send(new s3.PutObjectCommand({ Bucket: 'other', Key: 'elsewhere', Body: '' }))

async function list(input: Partial<s3.ListObjectsV2CommandInput>): Promise<string[][]> {
  const pages: string[][] = []
  for await (const page of s3.paginateListObjectsV2({ client }, { Bucket, ...input })) {
    const names = [
      ...(page.Contents ?? []).map(({ Key }) => Key),
      ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
    ]
    t.equal(page.KeyCount, names.length)
    pages.push(names.map((name) => name ?? ''))
  }
  return pages
}

t.test('keys are listed in the order of their UTF-8 bytes', async (t) => {
  t.same(await list({}), [keys])
  const [page] = (await client.send(new s3.ListObjectsV2Command({ Bucket, Prefix: 'b+' }))).Contents ?? []
  t.match(page, { Key: 'b+c d', Size: 5, ETag: /^"[0-9a-f]{32}"$/, StorageClass: 'STANDARD' })
})

t.test('pages of every size come to the same list', async (t) => {
  for (const MaxKeys of [1, 2, 5, 11, 12]) t.same((await list({ MaxKeys })).flat(), keys)
  t.same(await list({ MaxKeys: 11 }), [keys.slice(0, 11), keys.slice(11)])
})

t.test('keys that share a prefix through the delimiter are rolled up, across pages too', async (t) => {
  t.same(await list({ Delimiter: '/' }), [['a', 'b+c d', 'c\u0007', 'z', '~', 'é', '\ufffd', '😀', 'a/', 'b/']])
  t.same(await list({ Delimiter: '/', MaxKeys: 1 }), [
    ...[['a'], ['a/'], ['b+c d'], ['b/'], ['c\u0007'], ['z'], ['~'], ['é'], ['\ufffd'], ['😀']],
  ])
  t.same(await list({ Delimiter: '/', Prefix: 'a/' }), [['a/1', 'a/2', 'a/b/']])
  t.same(await list({ Prefix: 'nothing' }), [[]])
})

t.test('a listing begins after a key', async (t) => {
  t.same(await list({ StartAfter: 'b/1' }), [keys.slice(6)])
  t.same(await list({ StartAfter: 'a', Prefix: 'a/' }), [['a/1', 'a/2', 'a/b/3']])
})

t.test('version 1 of the operation goes on from its marker', async (t) => {
  const found: string[] = []
  let Marker: string | undefined
  do {
    const page = await client.send(new s3.ListObjectsCommand({ Bucket, Delimiter: '/', MaxKeys: 2, Marker }))
    found.push(...(page.Contents ?? []).map(({ Key }) => Key ?? ''))
    found.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix ?? ''))
    Marker = page.NextMarker
  } while (Marker)
  t.same(found, ['a', 'a/', 'b+c d', 'b/', 'c\u0007', 'z', '~', 'é', '\ufffd', '😀'])
})

t.test('keys are written URL-encoded where that is asked for, and bad questions are refused', async (t) => {
  const answer = await client.send(new s3.ListObjectsV2Command({ Bucket, Prefix: 'b+', EncodingType: 'url' }))
  t.equal(answer.Contents?.[0]?.Key, 'b%2Bc%20d')
  for (const query of ['max-keys=-1', 'max-keys=x', 'continuation-token=%2B%2B', 'encoding-type=gzip']) {
    const { status, code } = await send(store, sign(store, { method: 'GET', path: `/media?${query}&list-type=2` }))
    t.same([query, status, code], [query, 400, 'InvalidArgument'])
  }
})

t.test('buckets are listed, found and located', async (t) => {
  t.same(
    (await client.send(new s3.ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name),
    ['media', 'other'],
  )
  await client.send(new s3.HeadBucketCommand({ Bucket }))
  await t.rejects(client.send(new s3.HeadBucketCommand({ Bucket: 'nowhere' })), { name: 'NotFound' })
  t.equal((await client.send(new s3.GetBucketLocationCommand({ Bucket }))).LocationConstraint, 'eu-test-1')
})

t.test('a key is never a path', async (t) => {
  const hostile = ['../../x', '..%2f..%2fx', '/etc/passwd', '.', '..', 'a//b', 'a/../b', '\\..\\x', 'C:x', 'ledger.db']
  for (const Key of hostile) await client.send(new s3.PutObjectCommand({ Bucket: 'other', Key, Body: Key }))
  const encoded = { method: 'PUT', path: '/other/..%2f..%2fy', body: 'y' }
  t.equal((await send(store, sign(store, encoded))).status, 200)
  for (const Key of [...hostile, '../../y']) {
    const { Body } = await client.send(new s3.GetObjectCommand({ Bucket: 'other', Key }))
    t.equal(await Body?.transformToString(), Key === '../../y' ? 'y' : Key)
  }
  const { KeyCount } = await client.send(new s3.ListObjectsV2Command({ Bucket: 'other', Prefix: '' }))
  t.equal(KeyCount, hostile.length + 2)
  const files = await blobFiles(store.dir)
  t.equal(files.length, keys.length + hostile.length + 2)
  t.ok(
    files.every((file) => /\/blobs\/([0-9a-f]{2})\/\1[0-9a-f]{30}$/.test(file)),
    'every file has a name of our own',
  )
})
