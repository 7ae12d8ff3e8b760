import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { Storage } from '#lib/storage/storage.ts'
import { startObjectStore } from '../../../ops/embedded/object-store/server.ts'
import { type Millrace, type WebhookEvent, webhooks } from '../../../sdk/node/src/index.ts'
import { eicar } from '../../files/archives.ts'
import { until } from '../../support/until.ts'
import { fileServer } from '../../video/file-server.ts'
import { DropBox } from './drop-box.ts'

/** Reports in the rental's own bucket are scanned there; signed webhooks tell each verdict, also on its uploads. */
export async function dropBoxWork(t: Test, client: Millrace): Promise<void> {
  const told: Promise<WebhookEvent>[] = []
  let secret = ''
  const listener = await fileServer(t, {
    '/judged': (request, response) => {
      told.push(text(request).then((body) => webhooks.verify(body, request.headers, secret)))
      response.writeHead(204).end()
    },
  })
  const types = ['files.object.judged', 'files.bucket_scan.judged']
  secret = (await client.account.webhooks.create({ url: listener.url('/judged'), types })).secret

  const { storage, connection } = await ownBucket(t)
  await storage.put('march.txt', Buffer.from('All brakes are new.'), { contentType: 'text/plain' })
  await storage.put('april.com', Buffer.from(eicar), { contentType: 'text/plain' })
  const box = await DropBox.open(client, connection)
  const scans = [await box.scan('march.txt'), await box.scan('april.com')]
  const facts = { product_key: 'drop-box', tenant_id: 'garages', filename: 'may.txt', content_type: 'text/plain' }
  const { object_id } = await client.uploadFile(new TextEncoder().encode('The chains are oiled.'), facts)

  const expected = [`${scans[0]}: clean`, `${scans[1]}: infected`, `${object_id}: clean`]
  const isTold = async () => {
    const verdicts = new Set((await Promise.all(told)).flatMap(verdictOf))
    return expected.every((one) => verdicts.has(one))
  }
  await until(isTold, { what: 'all verdicts are told' })
  await until(async () => (await box.reports()).every((one) => one.endsWith('written')), { what: 'tags are written' })
  t.same((await box.reports()).toSorted(), ['april.com: infected, tag written', 'march.txt: clean, tag written'])
  await box.close()
  t.ok(await storage.head('march.txt'), 'the bucket keeps its objects')
}

function verdictOf(event: WebhookEvent): string[] {
  if (!webhooks.isKnown(event)) return []
  if (event.type === 'files.bucket_scan.judged') return [`${event.data.scan_id}: ${event.data.status}`]
  return event.type === 'files.object.judged' ? [`${event.data.object_id}: ${event.data.scan_status}`] : []
}

/** A bucket that Millrace does not run. */
async function ownBucket(t: Test) {
  const dir = await mkdtemp(join(tmpdir(), 'millrace-drop-box-'))
  const keys = { accessKey: 'AKIDDROPBOX', secretKey: 'of/the+rental' }
  const region = 'eu-test-1'
  const server = await startObjectStore({ host: '127.0.0.1', port: 0, dir, region, buckets: ['reports'], ...keys })
  t.teardown(async () => {
    await server.close()
    await rm(dir, { recursive: true, force: true })
  })
  const at = { endpoint: server.url, region, bucket: 'reports' }
  return {
    storage: new Storage({ ...at, publicEndpoint: server.url, ...keys }),
    connection: { name: 'Reports', ...at, access_key_id: keys.accessKey, secret_access_key: keys.secretKey },
  }
}
