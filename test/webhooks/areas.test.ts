import '../support/webhooks-environment.ts'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { hashSecret } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import { releaseObject } from '#tasks/files/rules/pass.ts'
import { eicar } from '../files/archives.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { filesStack } from '../support/files-stack.ts'
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

t.test('webhooks are told how the processing of a video ends, and of its captions', async (t) => {
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

t.test('webhooks are told of objects that are clean, and of each that is infected', async (t) => {
  const secret = await add('/files', stack.key, ['files.*'])
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
