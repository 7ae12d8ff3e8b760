import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, stat, writeFile } from 'node:fs/promises'
import { Agent, type ClientRequest, request } from 'node:http'
import { join } from 'node:path'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import t from 'tap'
import { until } from '../support/until.ts'
import { blobFiles, keys, makeClient } from './fixture.ts'

const dir = join(t.testdir(), 'store')
const credentials = `${dir}.json`
await writeFile(credentials, JSON.stringify({ access_key: keys.accessKey, secret_key: keys.secretKey }), {
  mode: 0o600,
})
const main = join(import.meta.dirname, '../../ops/embedded/object-store/main.ts')
const address = { Bucket: 'media', Key: 'kept' }
const agent = new Agent({ keepAlive: true })
const children = new Set<ChildProcess>()
t.teardown(() => {
  agent.destroy()
  for (const child of children) child.kill('SIGKILL')
})

function launch(): { child: ChildProcess; text(): string } {
  const options = ['--dir', dir, '--credentials', credentials, '--region', 'eu-test-1', '--bucket', 'media']
  const child = spawn(process.execPath, [main, ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  return { child, text: () => text }
}

async function start() {
  const { child, text } = launch()
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
  const url =
    /^object store listening on (http:\S+) \(for a single host; all data is in .+\)\n$/.exec(text())?.[1] ?? ''
  const client = makeClient(url, { requestChecksumCalculation: 'WHEN_REQUIRED' })
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(child, 'exit')
    child.kill(signal)
    client.destroy()
    return (await ended) as [number | null, string | null]
  }
  const read = async () => (await client.send(new GetObjectCommand(address))).Body?.transformToString()
  return { client, end, read }
}

/** Starts a PUT with a declared `size` and sends only `body`. */
async function beginPut(
  { client }: Awaited<ReturnType<typeof start>>,
  size: number,
  body: Buffer,
): Promise<ClientRequest> {
  const url = await getSignedUrl(client, new PutObjectCommand(address))
  const outgoing = request(url, { method: 'PUT', headers: { 'content-length': size }, agent })
  outgoing.on('error', () => undefined)
  outgoing.write(body)
  return outgoing
}

t.test('kill -9 in the middle of a PUT leaves the old object, and its bytes are cleared away', async (t) => {
  const first = await start()
  await first.client.send(new PutObjectCommand({ ...address, Body: 'old' }))
  const before = await blobFiles(dir)
  await beginPut(first, 8 << 20, Buffer.alloc(4 << 20))
  const size = async () =>
    Math.max(...(await Promise.all((await blobFiles(dir)).map((file) => stat(file)))).map((file) => file.size))
  await until(async () => (await size()) >= 2 << 20, { what: 'half of the body on disk' })
  t.same(await first.end('SIGKILL'), [null, 'SIGKILL'])
  t.equal((await blobFiles(dir)).length, before.length + 1)
  const second = await start()
  t.equal(await second.read(), 'old')
  await until(async () => `${await blobFiles(dir)}` === `${before}`, { what: 'the half body gone' })
  await second.end('SIGTERM')
})

t.test('kill -9 while a key is overwritten leaves one body or the other, whole', async (t) => {
  const bodies = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(300_000))
  for (const answered of [1, 2, 4]) {
    const store = await start()
    let count = 0
    const puts = bodies.map(async (Body) => {
      await store.client.send(new PutObjectCommand({ ...address, Body }))
      count += 1
      if (count === answered) await store.end('SIGKILL')
    })
    await Promise.allSettled(puts)
    const again = await start()
    const found = await again.read()
    t.ok(bodies.includes(found ?? ''), `after ${answered} answers the object is one of the bodies`)
    await again.end('SIGTERM')
  }
})

t.test('SIGTERM lets a running upload finish, and takes no other', async (t) => {
  const store = await start()
  const upload = await beginPut(store, 6, Buffer.from('abc'))
  await until(async () => (await blobFiles(dir)).length > 1, { what: 'the upload begun' })
  const ended = store.end('SIGTERM')
  const url = await getSignedUrl(store.client, new GetObjectCommand(address))
  await until(
    () =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    { what: 'the port closed' },
  )
  const answered = once(upload, 'response')
  upload.end('def')
  const [response] = await answered
  t.equal(response.resume().statusCode, 200)
  t.same(await ended, [0, null])
  const again = await start()
  t.equal(await again.read(), 'abcdef')
  await again.end('SIGTERM')
})

t.test('a second process on the same folder, or keys that others can read, end with a reason', async (t) => {
  const store = await start()
  const second = launch()
  t.same(await once(second.child, 'close'), [1, null])
  t.match(second.text(), /is another object store using it\?/)
  await store.end('SIGTERM')
  await chmod(credentials, 0o644)
  const third = launch()
  t.same(await once(third.child, 'close'), [1, null])
  t.match(third.text(), /only by its owner/)
})
