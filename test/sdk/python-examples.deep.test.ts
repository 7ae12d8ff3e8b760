import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { after, before, test, t as whole } from 'tap'
import { freePort } from '../support/postgres.ts'
import { pythonClient, run, runPython, startPython } from '../support/python.ts'
import { dataFolder, Stack } from '../support/stack.ts'

let env: Record<string, string>
let folder: string
before(async () => {
  const stack = new Stack(await dataFolder(whole), await freePort(), {
    OUTBOUND_ALLOWED: '127.0.0.1',
    WEBHOOK_HTTP: 'true',
  })
  await stack.ready()
  whole.teardown(async () => {
    await stack.stop('SIGTERM')
  })
  env = { MILLRACE_DEV: join(stack.data, 'dev.json') }
  folder = await mkdtemp(join(tmpdir(), 'millrace-python-'))
})
after(() => rm(folder, { recursive: true }))

/** Runs an example; returns the lines that it prints. */
const example = async (name: string, ...args: string[]) =>
  (await runPython([join(pythonClient, 'examples', `${name}.py`), ...args], { env })).trim().split('\n')

test('a push message is sent and followed', async (t) => {
  const lines = await example('quick_start')
  t.match(
    [...lines.slice(0, 2), ...lines.slice(-2)],
    [
      /^message [0-9a-f-]{36} queued$/,
      /^devices \d+$/,
      'error 404 not_found True',
      "at fault ['body.app_id', 'body.target.id', 'body.title']",
    ],
  )
  for (const line of lines.slice(2, -2)) t.match(line, /^delivery sse /)
})

test('an inbox is watched', async (t) => {
  t.same(await example('watch_inbox'), ['item Packed', 'item Shipped', 'in the inbox Shipped', 'in the inbox Packed'])
})

test('a token is earned and spent once', async (t) => {
  t.match(await example('guarded_form'), [/^earned (low|normal|high)$/, 'valid', 'replayed'])
})

test('a bot answers word by word', async (t) => {
  t.match(await example('chat'), [/30 days/, 'message.completed'])
})

test('a file comes back from behind the malware gate', async (t) => {
  const path = join(folder, 'note.txt')
  await writeFile(path, 'Nothing to fear.\n')
  t.same(await example('upload_file', path), ['note.txt 17 clean', '17 bytes came back'])
})

test('a video is uploaded and can be played', async (t) => {
  const path = join(folder, 'talk.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc=duration=2:size=320x180:rate=25', '-pix_fmt', 'yuv420p']
  await run('ffmpeg', ['-v', 'error', ...source, '-c:v', 'libx264', '-preset', 'ultrafast', path])
  const lines = await example('upload_video', path)
  t.match(lines.at(-2), '100 %')
  t.equal(lines.at(-1), 'asset ready')
})

test('uploads survive the faults of storage', async (t) => {
  await runPython([fileURLToPath(new URL('python-uploads.py', import.meta.url))], { env })
  t.pass()
})

test('a webhook of the service is believed, and a forged one is not', async (t) => {
  const port = await freePort()
  const create = `
import json, os, sys
from millrace import Millrace
facts = json.load(open(os.environ["MILLRACE_DEV"]))
client = Millrace(base_url=facts["base_url"], api_key=facts["keys"]["push"])
if sys.argv[1] == "create":
    print(json.dumps(client.push.create_webhook(url=sys.argv[2], events=sys.argv[3:])))
else:
    print(json.dumps(client.push.test_webhook(sys.argv[2])))
`
  const ask = async (...args: string[]) => JSON.parse(await runPython(['-c', create, ...args], { env }))
  const { id, secret } = await ask('create', `http://127.0.0.1:${port}/hooks`, 'push.delivered')

  const receiver = startPython([join(pythonClient, 'examples/webhook_receiver.py'), `${port}`, secret])
  t.teardown(() => receiver.kill())
  const lines = createInterface(receiver.stdout)
  const line = async () => String((await once(lines, 'line'))[0])
  t.equal(await line(), `listening on ${port}`)

  const [said, result] = await Promise.all([line(), ask('test', id)])
  t.match(said, /^event \w+/)
  t.match(result, { delivered: true, response_status: 204 })

  const [refused, answer] = await Promise.all([
    line(),
    fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST', body: '{"type":"push.delivered"}' }),
  ])
  t.match(refused, /^refused: The webhook does not have webhook-id/)
  t.equal(answer.status, 400)
})
