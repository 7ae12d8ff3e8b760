import '../support/webhooks-environment.ts'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { hashSecret } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { expire } from '#tasks/files/expire.ts'
import { releaseObject } from '#tasks/files/rules/pass.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { eicar, zip } from '../files/archives.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { filesStack } from '../support/files-stack.ts'
import { until } from '../support/until.ts'
import { noise } from '../support/video-stack.ts'
import { testReceiver, verifies } from './receiver.ts'

t.setTimeout(240_000)
const stack = await filesStack(t, { areas: ['account'] })
const { base } = stack
const receiver = await testReceiver(t)
const at = (name: string) => join(base.data, name)
const environment = { CLAMD_SOCKET: stack.clamd.socket, OUTBOUND_ALLOWED: '127.0.0.1' }
await base.startWorkers(environment, 'core,media-intake,media,scan,webhooks')

async function add(path: string, key: string, types: string[]): Promise<string> {
  const orgId = (await keys.findCaller(base.db, hashSecret(key)))?.org.id ?? ''
  const scopes = ['account:webhooks']
  const made = await keys.create(base.db, { orgId, prefix: 'bt_live_', name: 'hooks', scopes })
  const body = { url: `${receiver.url}${path}`, types }
  return (await base.ask('POST /v1/account/webhooks', { key: made.secret, body })).body.secret
}

t.test('webhooks receive events about the end of video processing and about captions', async (t) => {
  const secret = await add('/video', base.key, ['video.*'])
  await promisify(execFile)('flite', ['-voice', 'slt', '-t', 'Good morning everyone.', '-o', at('speech.wav')])
  const picture = ['-f', 'lavfi', '-i', 'color=navy:s=160x90:r=10:d=2']
  await ffmpeg('-i', at('speech.wav'), ...picture, '-shortest', '-c:v', 'libx264', '-c:a', 'aac', at('spoken.mp4'))
  const [good, bad] = [
    await base.send(at('spoken.mp4'), { title: 'A talk' }),
    await base.sendBytes('bad.mp4', noise(50_000)),
  ]
  const told = (type: string) => receiver.received.find(({ event }) => event.type === type)
  await receiver.has(3, '/video')
  t.match(told('video.asset.playable')?.event.data, { id: good, title: 'A talk' })
  const ready = told('video.asset.ready')
  t.match(ready?.event.data, { id: good, title: 'A talk', status: 'ready', failure_summary: null, width: 160 })
  t.ok(ready && verifies(secret, ready))
  const failed = told('video.asset.failed')
  t.match(failed?.event.data, { id: bad, status: 'failed', failure_summary: /not a video/ })
  await base.ask(`POST /v1/stream/assets/${good}/captions`, { body: { language: 'en' } })
  await receiver.has(4, '/video')
  const captions = told('video.captions.ready')
  t.match(captions?.event.data, { asset_id: good, language: 'en', cues: Number })
})

t.test('webhooks receive events of clean objects and of each infected object', async (t) => {
  const secret = await add('/files', stack.key, ['files.object.clean', 'files.object.infected'])
  const told = async (count: number) => (await receiver.has(count, '/files')).slice(count - 1)
  const good = (await stack.send('a letter')).body
  const [clean] = await told(1)
  t.match(clean?.event, { type: 'files.object.clean', data: { object_id: good.object_id, tenant_id: 'acme' } })
  t.match(clean?.event.data, { scan_status: 'clean', released: false, sha256: /^[0-9a-f]{64}$/ })
  t.ok(clean && verifies(secret, clean))
  const bad = (await stack.send(eicar)).body
  const [infected] = await told(2)
  t.match(infected?.event, {
    type: 'files.object.infected',
    data: { object_id: bad.object_id, scan_status: 'infected' },
  })
  t.ok(infected?.event.data.reasons.length > 0)
  const odd = (await stack.send('#!/bin/sh\necho', { filename: 'photo.png', content_type: 'image/png' })).body
  t.equal((await stack.settled(odd.object_id)).scan_status, 'suspicious')
  t.ok((await releaseObject(base.db, odd.object_id, { actor: 'op', reason: 'known' }))?.changed)
  const [released] = await told(3)
  t.match(released?.event, { type: 'files.object.clean', data: { object_id: odd.object_id, released: true } })
})

t.test('webhooks are told of every verdict, and of objects that have expired', async (t) => {
  await add('/judged', stack.key, ['files.object.judged', 'files.object.expired'])
  const told = async (count: number) => (await receiver.has(count, '/judged')).at(count - 1)?.event
  const send = async (bytes: Uint8Array | string, facts: object) =>
    (await stack.send(bytes, facts)).body.object_id as string
  const facts = { folder: 'inbox', metadata: { order: '7' } }
  const clean = await send('a letter that is judged', { ...facts, expires_in: 3_600 })
  t.match(await told(1), {
    type: 'files.object.judged',
    data: { ...facts, object_id: clean, scan_status: 'clean', cause: 'upload', sha256: /^[0-9a-f]{64}$/, version: 1 },
  })
  const odd = await send('#!/bin/sh\necho odd', { filename: 'odd.png', content_type: 'image/png' })
  t.match(await told(2), { data: { object_id: odd, scan_status: 'suspicious', reasons: [{ code: 'type_mismatch' }] } })
  await releaseObject(base.db, odd, { actor: 'op', reason: 'known' })
  t.match(await told(3), { data: { object_id: odd, scan_status: 'clean', cause: 'release', released: true } })
  await stack.ask(`POST /v1/files/objects/${odd}/scan`, { body: {} })
  t.match(await told(4), { data: { object_id: odd, scan_status: 'clean', cause: 'requested', released: true } })
  const sealed = await send(zip([{ name: 'a', data: 'sealed', flags: 1 }]), {
    filename: 'a.zip',
    content_type: 'application/zip',
  })
  t.match(await told(5), { data: { object_id: sealed, scan_status: 'unscannable' } })
  const bad = await send(eicar, { filename: 'bad.txt' })
  t.match(await told(6), { data: { object_id: bad, scan_status: 'infected', released: false } })
  const wrong = await stack.start('short', { checksum_sha256: '0'.repeat(64), filename: 'wrong.txt' })
  await base.store.storage.put(wrong.upload_url.split('?')[0]?.split('/millrace/')[1] ?? '', Buffer.from('short'), {
    contentType: 'text/plain',
  })
  await stack.ask(`POST /v1/files/uploads/${wrong.object_id}/complete`, { body: {} })
  t.match(await told(7), {
    data: { object_id: wrong.object_id, scan_status: 'error', sha256: null, reasons: [{ code: 'checksum_mismatch' }] },
  })
  await stack.ask(`PATCH /v1/files/objects/${clean}`, {
    body: { expires_at: new Date(Date.now() + 600_000).toISOString() },
  })
  await base.db.query(sql.typeAlias('void')`update files.objects set expires_at = now() where id = ${clean}`)
  await until(async () => (await stack.ask(`GET /v1/files/objects/${clean}`)).status === 404)
  await enqueue(base.db, expire, {})
  t.match(await told(8), { type: 'files.object.expired', data: { ...facts, object_id: clean } })
  await until(async () => (await base.store.list(`files/objects/${clean}/`)).length === 0, { what: 'its bytes go' })
})
