import '../support/webhooks-environment.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { guideBlocks } from '../support/guide-blocks.ts'
import { runGuide } from '../support/run-guide.ts'
import { testReceiver } from '../webhooks/receiver.ts'
import { hookStack } from './stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/hooks/README.md')
const stack = await hookStack(t)
const receiver = await testReceiver(t)
await stack.startWorkers()

t.test('every call of the guide works as shown, and its code verifies the message', async (t) => {
  const folder = t.testdir()
  const steps = await runGuide(guide, {
    folder,
    baseUrl: stack.base.ingress.url,
    apiKey: stack.key,
    replace: { 'http://127.0.0.1:4001': receiver.url },
    languages: ['sh', 'js', 'python'],
    oneOfEach: true,
    only: ({ code }) => !code.includes('export function verify') && !code.includes('createServer'),
  })
  t.ok(steps.length > 12)
  const secret = steps.find(({ json }) => json?.secret)?.json.secret
  const [delivery] = await receiver.has(1, '/hooks')
  const code = guideBlocks(guide).find((block) => block.code.includes('export function verify'))?.code ?? ''
  const file = join(folder, 'verify.mjs')
  await writeFile(file, code)
  const { verify } = await import(file)
  t.same(verify(secret, delivery?.headers, delivery?.body), { invoice_id: 'in_1042', amount: 1900 })
  t.throws(() => verify(secret, delivery?.headers, `${delivery?.body} `), /not signed/)
})
