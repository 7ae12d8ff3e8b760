import { randomBytes } from 'node:crypto'
import type { Storage } from '#lib/storage/storage.ts'
import { type Claim, get, plain, putTo } from './peer.ts'

/** Minimum size in S3 of a part that is not the last. */
const whole = 5 << 20

async function putPart(storage: Storage, key: string, id: string, number: number, body: string | Buffer) {
  const part = { number, bytes: Buffer.byteLength(body) }
  return await putTo(await storage.multipart.sign(key, id, part, 60), body)
}

export const partClaims: Claim[] = [
  {
    claim:
      'parts that somebody without keys puts, in any order, become the object when they are joined, and not before',
    async holds(t, { storage }) {
      const { multipart } = storage
      const [key, bytes] = ['parts/größe & ü.mp4', Buffer.alloc(2 * whole + 7, randomBytes(65_521))]
      const id = await multipart.create(key, { contentType: 'video/mp4' })
      t.same(await multipart.list(key, id), [])
      for (const number of [3, 1, 2]) {
        const body = bytes.subarray((number - 1) * whole, number * whole)
        t.equal(await putPart(storage, key, id, number, body), 200)
      }
      t.equal(await storage.head(key), null)
      const stored = (await multipart.list(key, id)) ?? []
      t.same(
        stored.map(({ number, bytes }) => [number, bytes]),
        [
          [1, whole],
          [2, whole],
          [3, 7],
        ],
      )
      await multipart.complete(key, id, stored)
      t.equal(await storage.size(key), bytes.length)
      const { headers, body } = await get(await storage.signGet(key, 60))
      t.ok(bytes.equals(body))
      t.equal(headers.get('content-type'), 'video/mp4')
      const across = await get(await storage.signGet(key, 60), { range: `bytes=${whole - 3}-${whole + 3}` })
      t.equal(across.status, 206)
      t.ok(across.body.equals(bytes.subarray(whole - 3, whole + 4)), 'a range across two parts')
      await multipart.complete(key, id, stored).catch(() => undefined)
      t.equal(await storage.size(key), bytes.length, 'joining again changes nothing')
    },
  },
  {
    claim: 'a part that is put again takes the place of the first, and a part that is not there joins nothing',
    async holds(t, { storage }) {
      const { multipart } = storage
      const id = await multipart.create('again', plain)
      await putPart(storage, 'again', id, 1, 'first')
      await putPart(storage, 'again', id, 1, 'second')
      const [part] = (await multipart.list('again', id)) ?? []
      t.match(part, { number: 1, bytes: 6 })
      const wrong = { number: 1, bytes: 6, etag: `"${'0'.repeat(32)}"` }
      await t.rejects(multipart.complete('again', id, [wrong]))
      await t.rejects(multipart.complete('again', id, [{ ...wrong, ...part, number: 2 }]))
      t.equal(await storage.head('again'), null)
      await multipart.complete('again', id, part ? [part] : [])
      t.equal(`${Buffer.from(await storage.readWhole('again'))}`, 'second')
    },
  },
  {
    claim: 'an upload that is aborted is gone with its parts and takes no more, and may be aborted again',
    async holds(t, { storage }) {
      const { multipart } = storage
      const id = await multipart.create('aborted', plain)
      await putPart(storage, 'aborted', id, 1, 'part')
      for (const _ of [1, 2]) await multipart.abort('aborted', id)
      t.equal(await multipart.list('aborted', id), null)
      t.equal(await putPart(storage, 'aborted', id, 1, 'late'), 404)
      t.equal(await storage.head('aborted'), null)
    },
  },
  {
    claim: 'an object that came in parts is copied by its entity tag, too',
    async holds(t, { storage }) {
      const { multipart } = storage
      const bytes = Buffer.alloc(whole + 1, randomBytes(65_521))
      const id = await multipart.create('joined', plain)
      await putPart(storage, 'joined', id, 1, bytes.subarray(0, whole))
      await putPart(storage, 'joined', id, 2, bytes.subarray(whole))
      await multipart.complete('joined', id, (await multipart.list('joined', id)) ?? [])
      const { etag = '' } = (await storage.head('joined')) ?? {}
      t.equal(await storage.copy('joined', 'joined copy', { etag: `"${'0'.repeat(32)}-2"`, as: plain }), false)
      t.equal(await storage.copy('joined', 'joined copy', { etag, as: plain }), true)
      await storage.remove('joined')
      t.ok(bytes.equals(await storage.readWhole('joined copy')), 'and it outlives the first')
    },
  },
]
