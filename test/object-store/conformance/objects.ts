import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isStorageUnavailable } from '#lib/storage/away.ts'
import { type Claim, get, openPeer, plain, putTo } from './peer.ts'

const keys = ['plain', 'with space & + %41.bin', "größe/ü?#/'(1)*!~.bin", 'a//b', '&amp;<"']

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export const objectClaims: Claim[] = [
  {
    claim: 'bytes come back as they were put, with their type and caching, whatever the key',
    async holds(t, { storage }) {
      const cached = { contentType: 'video/mp4', cacheControl: 'public, max-age=31536000, immutable' }
      for (const name of keys) {
        const [key, bytes] = [`put/${name}`, randomBytes(1000)]
        await storage.put(key, bytes, cached)
        t.ok(bytes.equals(await storage.readWhole(key)), name)
        t.match(await storage.head(key), { bytes: 1000, etag: /^"?[0-9a-f]{32}"?$/ })
        const { headers, body } = await get(await storage.signGet(key, 60))
        t.ok(bytes.equals(body), `${name} by a signed URL`)
        t.equal(headers.get('content-type'), cached.contentType)
        t.equal(headers.get('cache-control'), cached.cacheControl)
      }
    },
  },
  {
    claim: 'an object of no bytes is an object',
    async holds(t, { storage }) {
      await storage.put('empty', new Uint8Array(), plain)
      t.equal(await storage.size('empty'), 0)
      t.equal((await storage.readWhole('empty')).length, 0)
    },
  },
  {
    claim: 'another body under a key takes the place of the first, and has another entity tag',
    async holds(t, { storage }) {
      await storage.put('twice', Buffer.from('first'), plain)
      const before = await storage.head('twice')
      await storage.put('twice', Buffer.from('other'), plain)
      t.equal(`${Buffer.from(await storage.readWhole('twice'))}`, 'other')
      t.not((await storage.head('twice'))?.etag, before?.etag)
    },
  },
  {
    claim: 'an object that is not there is told from a store that is away',
    async holds(t, { storage, access }) {
      const folder = t.testdir()
      t.equal(await storage.head('never put'), null)
      t.equal(await storage.read('never put'), null)
      const missing = await storage.download('never put', join(folder, 'file')).catch((error) => error)
      t.ok(missing instanceof Error && !isStorageUnavailable(missing))
      t.same(await readdir(folder), [])
      const nobody = openPeer({ ...access, endpoint: 'http://127.0.0.1:9' })
      t.ok(isStorageUnavailable(await nobody.head('never put').catch((error) => error)))
    },
  },
  {
    claim: 'files of any size are stored and fetched whole, small ones at once and large ones in parts',
    async holds(t, { storage }) {
      const folder = t.testdir()
      for (const size of [3, (17 << 20) + 1]) {
        const [from, to] = [join(folder, `from ${size}`), join(folder, `to ${size}`)]
        const bytes = Buffer.alloc(size, randomBytes(65_521))
        await writeFile(from, bytes)
        await storage.upload(from, `files/${size}`, plain)
        t.equal(await storage.size(`files/${size}`), size)
        await storage.download(`files/${size}`, to)
        t.equal(sha256(await readFile(to)), sha256(bytes))
      }
      t.equal((await readdir(folder)).length, 4, 'nothing half is left')
    },
  },
  {
    claim: 'a copy is made of the object that has the entity tag, and of no other',
    async holds(t, { storage }) {
      const [from, to] = [`from/${keys[2]}`, `to/${keys[2]}`]
      const html = { contentType: 'text/html' }
      await storage.put(from, Buffer.from('first'), { ...html, cacheControl: 'no-store' })
      const { etag = '' } = (await storage.head(from)) ?? {}
      t.equal(await storage.copy(from, to, { etag, as: html }), true)
      await storage.put(from, Buffer.from('replaced'), plain)
      t.equal(await storage.copy(from, to, { etag, as: html }), false)
      t.equal(await storage.copy('never put', to, { etag, as: html }), false)
      const { headers, body } = await get(await storage.signGet(to, 60))
      t.equal(`${body}`, 'first')
      t.equal(headers.get('content-type'), 'text/html')
      await storage.copy(to, 'to/again', { as: { contentType: 'image/jpeg', cacheControl: 'no-cache' } })
      const again = await get(await storage.signGet('to/again', 60))
      t.equal(`${again.body}`, 'first')
      t.same(
        ['content-type', 'cache-control'].map((name) => again.headers.get(name)),
        ['image/jpeg', 'no-cache'],
      )
    },
  },
  {
    claim: 'a copy, to itself as well, keeps nothing of what a PUT said of its object but what it is copied as',
    async holds(t, { storage }) {
      const headers = { 'content-encoding': 'gzip', 'content-disposition': 'inline', 'content-type': 'text/plain' }
      const url = await storage.signPut('said', 60, { 'content-length': '5', 'content-type': 'text/plain' })
      t.equal(await putTo(url, 'bytes', headers), 200)
      const { etag = '', ...said } = (await storage.head('said')) ?? {}
      t.match(said, { encoding: 'gzip', hasMetadata: true })
      for (const to of ['said/copy', 'said']) {
        t.equal(await storage.copy('said', to, { etag, as: plain }), true)
        t.match(await storage.head(to), { bytes: 5, encoding: null, hasMetadata: false }, to)
        const { headers, body } = await get(await storage.signGet(to, 60))
        t.same([`${body}`, headers.get('content-encoding')], ['bytes', null], to)
      }
    },
  },
  {
    claim: 'objects are deleted one by one or by what their keys begin with, and never others',
    async holds(t, { storage }) {
      for (const name of [...keys, 'x/1']) await storage.put(`gone/${name}`, Buffer.from(name), plain)
      for (const key of ['gone', 'goner', 'gon/e']) await storage.put(key, Buffer.from(key), plain)
      for (const _ of [1, 2]) await storage.remove('gone/x/1')
      t.equal(await storage.size('gone/x/1'), null)
      t.equal(await storage.deleteAll('gone/'), keys.length)
      t.equal(await storage.deleteAll('gone/'), 0)
      for (const name of keys) t.equal(await storage.size(`gone/${name}`), null, name)
      for (const key of ['gone', 'goner', 'gon/e']) t.equal(await storage.size(key), key.length, key)
    },
  },
  {
    claim: 'a check finds the bucket, and finds fault with another bucket and another secret',
    async holds(t, { storage, access }) {
      const signal = AbortSignal.timeout(20_000)
      await storage.check(signal)
      const faults = { 404: { bucket: 'nowhere' }, 403: { secretKey: 'wrong' } }
      for (const [httpStatusCode, wrong] of Object.entries(faults)) {
        const fault = await openPeer({ ...access, ...wrong })
          .check(signal)
          .catch((error) => error)
        t.match(fault, { $metadata: { httpStatusCode: Number(httpStatusCode) } }, JSON.stringify(wrong))
      }
    },
  },
  {
    claim: 'a client that is not ours reads what was stored, and stores what is read',
    async holds(t, { storage, access }) {
      const { host } = new URL(access.endpoint)
      const keys = [`--access_key=${access.accessKey}`, `--secret_key=${access.secretKey}`]
      const options = ['-c', '/dev/null', '--no-ssl', `--host=${host}`, `--host-bucket=${host}`, ...keys]
      const s3cmd = async (...args: string[]) => await promisify(execFile)('s3cmd', [...options, '--quiet', ...args])
      const folder = t.testdir({ from: 'by s3cmd' })
      const [from, to] = [join(folder, 'from'), join(folder, 'to')]
      await storage.put('s3cmd/read', Buffer.from('by us'), plain)
      await s3cmd('get', `s3://${access.bucket}/s3cmd/read`, to)
      t.equal(await readFile(to, 'utf8'), 'by us')
      await s3cmd('put', from, `s3://${access.bucket}/s3cmd/put`)
      t.equal(`${Buffer.from(await storage.readWhole('s3cmd/put'))}`, 'by s3cmd')
    },
  },
]
