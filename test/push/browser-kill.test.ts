import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { until } from '../support/until.ts'
import { browserKit } from './browser-kit.ts'
import { pushStack, subscription } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
const { app, register, tokenOf } = await browserKit(stack)
const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

/** Starts a worker in a process of its own; `sent` are the endpoints that its provider was given. */
async function worker(answerMs: number) {
  const args = ['--pdeathsig=KILL', '--', process.execPath, program, stack.databaseUrl, '60000', String(answerMs)]
  const child = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const sent: string[] = []
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  const lines = createInterface(child.stdout)
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line === 'ready') resolve()
      if (line.startsWith('sent ')) sent.push(line.slice(5))
    })
  })
  return { sent, kill }
}

t.test(
  'a browser that renews while the worker is killed that sends to it, gets the message once more, and has one outcome',
  async (t) => {
    const [old, renewed] = [subscription(), subscription()]
    const { body } = await register({ subscription: old, user_token: await tokenOf('ann') })
    // The provider does not answer before the worker is killed.
    const first = await worker(600_000)
    const { id } = await stack.send(app, 'ann')
    await until(() => first.sent.length > 0, { every: 2 })
    await first.kill()
    const answer = await register({ subscription: renewed, installation_token: body.installation_token })
    t.equal(answer.body.installation_id, body.installation_id)
    const second = await worker(60)
    t.match(await stack.ended(id), { status: 'sent', counts: { devices: 1, sent: 1, failed: 0, queued: 0 } })
    t.same([first.sent, second.sent], [[old.endpoint], [renewed.endpoint]])
    const [{ attempts }] = await stack.trace(id)
    t.match(
      attempts,
      [{ outcome: 'unknown', reason: 'worker_lost' }, { outcome: 'sent' }],
      'the first is marked as perhaps sent',
    )
    t.equal(attempts.length, 2)
  },
)
