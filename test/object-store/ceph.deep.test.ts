import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { CompleteMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import { complete, mint, uploadParts, waitFor } from '../../ops/video-client.ts'
import { film, numbered } from '../media/sources.ts'
import { cephStore } from '../support/ceph-store.ts'
import { filesStack, put, tryPut } from '../support/files-stack.ts'
import { decodeErrors } from '../support/hls.ts'
import { until } from '../support/until.ts'
import { storeKeys } from '../support/video-stack.ts'
import { checkPlayback, quick } from '../video/playable.ts'
import { grantClaims } from './conformance/grants.ts'
import { objectClaims } from './conformance/objects.ts'
import { partClaims } from './conformance/parts.ts'
import { peerOf, plain } from './conformance/peer.ts'
import { Writes } from './writes.ts'

t.setTimeout(900_000)
const ceph = await cephStore(t)
if (ceph) await trust(ceph)

async function trust({ bed, store }: NonNullable<typeof ceph>): Promise<void> {
  const { storage } = store
  const stack = await filesStack(t, { store })
  const peer = peerOf('Ceph', { endpoint: store.url, ...storeKeys })

  for (const { claim, holds } of [...objectClaims, ...partClaims, ...grantClaims])
    await t.test(`Ceph: ${claim}`, (t) => holds(t, peer))

  await t.test('it ignores the condition of a copy, and tells by the entity tag what it copied', async (t) => {
    t.equal(await storage.conditions(), 'compared')
    t.same(await store.list('incoming/'), [])
  })

  await t.test('what is sent under a checksum that is not its own is refused when it is scanned', async (t) => {
    await stack.startWorkers()
    const checksum_sha256 = createHash('sha256').update('announced').digest('hex')
    const upload = await stack.start('announced', { checksum_sha256 })
    const { status } = await tryPut(upload.upload_url, 'exchanged', upload.upload_headers)
    t.comment(`a PUT with another checksum than that of its bytes: ${status}`)
    if (status !== 200) return
    const taken = await stack.ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} })
    t.equal(taken.status, 200, taken.text)
    t.match(await stack.settled(upload.object_id), { scan_status: 'error' })
    t.equal((await stack.download(upload.object_id)).asked.status, 409)
  })

  await t.test('joining parts without an overwrite is ignored, on which nothing rests', async (t) => {
    const client = new S3Client({
      endpoint: store.url,
      region: storeKeys.region,
      forcePathStyle: true,
      credentials: { accessKeyId: storeKeys.accessKey, secretAccessKey: storeKeys.secretKey },
    })
    t.teardown(() => client.destroy())
    const at = { Bucket: storeKeys.bucket, Key: 'joined once' }
    await storage.put(at.Key, Buffer.from('first'), plain)
    const UploadId = await storage.multipart.create(at.Key, plain)
    await client.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: Buffer.from('second') }))
    const [part] = (await storage.multipart.list(at.Key, UploadId)) ?? []
    const Parts = [{ PartNumber: 1, ETag: part?.etag }]
    const joining = new CompleteMultipartUploadCommand({
      ...at,
      UploadId,
      IfNoneMatch: '*',
      MultipartUpload: { Parts },
    })
    const outcome = await client.send(joining).then(
      ({ ETag }) => `done, with the entity tag ${JSON.stringify(ETag)}`,
      (error: Error) => error.name,
    )
    t.comment(`CompleteMultipartUpload with If-None-Match: * over an object: ${outcome}`)
    t.match(`${Buffer.from(await storage.readWhole(at.Key))}`, /^(first|second)$/)
  })

  await t.test('pages of any origin may put and read, and see the entity tag', async (t) => {
    const url = await storage.signPut('cors', 60, { 'content-length': '4', 'content-type': 'text/plain' })
    const origin = 'https://app.example.com'
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' },
    })
    t.equal(preflight.status, 200)
    t.match(preflight.headers.get('access-control-allow-origin'), /^(\*|https:\/\/app\.example\.com)$/)
    t.match(preflight.headers.get('access-control-allow-methods'), 'PUT')
    t.match(preflight.headers.get('access-control-allow-headers'), /content-type|\*/)
    const answer = await fetch(url, { method: 'PUT', body: 'page', headers: { origin, 'content-type': 'text/plain' } })
    t.equal(answer.status, 200)
    t.match(answer.headers.get('access-control-expose-headers'), /etag/i)
  })

  await t.test('what nobody completed goes by the rules of the bucket, and nothing else', async (t) => {
    await storage.put('incoming/never completed', Buffer.from('1'), plain)
    await storage.put('files/kept', Buffer.from('1'), plain)
    const id = await storage.multipart.create('video/never joined', plain)
    await until(async () => (await storage.head('incoming/never completed')) === null, { timeout: 90_000 })
    await until(async () => (await storage.multipart.list('video/never joined', id)) === null, { timeout: 90_000 })
    t.equal(await storage.size('files/kept'), 1)
  })

  await t.test(
    'a video and a file go through while an OSD is killed, and what was written is on the others',
    async (t) => {
      const { base, start, ask } = stack
      const [first, second] = bed.osds
      const source = await film(`${base.data}/film.mp4`, numbered('15', 20, '640:640'), {
        codec: [...quick, '-b:v', '6M'],
      })
      const bytes = Buffer.alloc(3 << 20, 'a letter of several pages\n')

      const session = await uploadParts(base.api, source)
      const upload = await start(bytes)
      await put(upload, bytes)
      const writes = new Writes(storage)
      await first?.away()
      const completed = await ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} })
      t.equal(completed.status, 200, completed.text)
      await complete(base.api, session)
      await base.startWorkers({}, 'media-intake,media')
      t.match(await stack.settled(upload.object_id), { scan_status: 'clean' })
      t.ok((await stack.download(upload.object_id)).bytes?.equals(bytes), 'the file comes back as it went in')
      await waitFor(base.api, session.assetId, ({ playable }) => playable)
      const { hlsUrl } = await mint(base.api, session.assetId)
      t.equal(await decodeErrors(hlsUrl), '', 'the video plays')
      tell(t, 'an OSD killed', await writes.end())

      await first?.back()
      await bed.awaitUp(3)
      await second?.away()
      await waitFor(base.api, session.assetId, ({ status }) => status === 'ready')
      await checkPlayback(t, base, session.assetId, { frames: 300, seconds: 20 })
      t.ok((await stack.download(upload.object_id)).bytes?.equals(bytes), 'the one that came back caught up')
      t.same(await writes.missing(), [])
      await second?.back()
      await bed.awaitUp(3)
    },
  )

  await t.test('an OSD that is silent holds writes up until it is left out, and loses none', async (t) => {
    const writes = new Writes(storage)
    const pid = bed.osds[2]?.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    await bed.awaitUp(2)
    await pause(2_000)
    process.kill(pid, 'SIGCONT')
    await bed.awaitUp(3)
    const told = await writes.end()
    tell(t, 'an OSD silent', told)
    t.equal(told.refused, 0)
    t.same(await writes.missing(), [])
  })

  await t.test('with one OSD of three left nothing is accepted, and all is there once another is back', async (t) => {
    await storage.put('two gone', Buffer.from('accepted before'), plain)
    const [first, second] = bed.osds
    await Promise.all([first?.away(), second?.away()])
    const patience = AbortSignal.timeout(6_000)
    await t.rejects(storage.put('two gone', Buffer.from('by one alone'), { ...plain, signal: patience }))
    await first?.back()
    await bed.awaitUp(2)
    const kept = await until(async () => `${Buffer.from(await storage.readWhole('two gone'))}`, { timeout: 90_000 })
    // An unacknowledged write can exist completely or not at all.
    t.match(kept, /^(accepted before|by one alone)$/)
    await storage.put('two gone', Buffer.from('accepted after'), plain)
    t.equal(`${Buffer.from(await storage.readWhole('two gone'))}`, 'accepted after')
  })
}

function tell(t: Test, what: string, { accepted, refused, longest }: Awaited<ReturnType<Writes['end']>>): void {
  t.comment(
    `${what}: ${accepted} writes accepted, ${refused} refused, the longest took ${(longest / 1000).toFixed(1)} s`,
  )
}
