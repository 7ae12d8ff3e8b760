import '../support/webhooks-environment.ts'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { eventTypes } from '#tasks/webhooks/event-types.ts'
import { testReceiver } from './receiver.ts'
import { webhookStack } from './stack.ts'

const guide = await readFile(new URL('../../ingress/webhooks/README.md', import.meta.url), 'utf8')
const block = (fence: string) => new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide)?.[1] as string

t.test('the guide’s code verifies what is delivered, and nothing else', async (t) => {
  const stack = await webhookStack(t)
  const receiver = await testReceiver(t)
  await stack.startWorkers()
  const { id, secret } = await stack.add(`${receiver.url}/`)
  await stack.ask(`POST /send/v1/webhooks/${id}/rotate-secret`, { body: {} })
  await stack.emit('email.bounced', { reason: 'Grüße' })
  const [delivery] = await receiver.has(1)
  if (!delivery) return
  const { headers, body } = delivery
  const file = join(stack.base.data, 'verify.mjs')
  await writeFile(file, block('js'))
  const { verified } = await import(pathToFileURL(file).href)
  t.match(verified(secret, headers, body), { type: 'email.bounced', data: { reason: 'Grüße' } })
  t.throws(() => verified(secret, headers, body.replace('ü', 'u')), /not signed/)
  t.throws(() => verified(secret, { ...headers, 'webhook-timestamp': '1' }, body), /too old/)

  const python = async (text: string) => {
    const given = JSON.stringify({ secret, headers, body: text })
    const program = `${block('python')}\nimport sys\ng = json.loads(sys.argv[1])\nprint(verified(g["secret"], g["headers"], g["body"].encode())["type"])`
    return (await promisify(execFile)('/usr/bin/python3', ['-c', program, given])).stdout.trim()
  }
  t.equal(await python(body), 'email.bounced')
  await t.rejects(python(body.replace('ü', 'u')), /not signed/)
})

t.test('the guide names every event', async (t) => {
  for (const [area, { prefix, types }] of Object.entries(eventTypes)) {
    for (const type of types) {
      t.match(guide, `\`${area === 'email' ? type.slice(prefix.length) : type}\``)
    }
  }
})
