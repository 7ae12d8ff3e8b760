import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { config } from '#lib/config.ts'
import { isUp } from '../../ops/embedded/clamd.ts'
import { clamd } from '../../ops/start/parts.ts'
import { createAliveCheck } from '../../ops/start/silence.ts'
import { killWithParent, type Part, supervise } from '../../ops/start/supervise.ts'
import { until } from '../support/until.ts'

const isThere = await access(config.CLAMD_PATH).then(
  () => true,
  () => false,
)
const skip = isThere ? false : `${config.CLAMD_PATH} is missing`

t.test('a clamd that hangs is killed and started again, and one that answers is left alone', { skip }, async (t) => {
  const dir = join(t.testdir(), 'clamav')
  const isWell = () => isUp(dir)
  // Whoever asks a frozen one waits for its answer for seconds.
  const alive = createAliveCheck(() => Promise.race([isWell(), pause(300, false)]))
  const part = clamd({ program: config.CLAMD_PATH, dir, maxBytes: 2 ** 20, threads: 2 })
  const supervised = supervise({ ...part, alive }, join(dir, '..', 'clamd.log'), { every: 100, patience: 3 })
  t.teardown(() => supervised.stop())
  await supervised.ready
  const first = supervised.pid
  t.ok(first)
  let asked = 0
  await until(async () => (await isWell()) && ++asked > 5, { what: 'it answers again and again' })
  t.equal(supervised.pid, first)
  process.kill(first as number, 'SIGSTOP')
  await until(async () => ![undefined, first].includes(supervised.pid) && (await isWell()), {
    what: 'another one answers',
    timeout: 30_000,
  })
})

t.test(
  'a silent part is left alone while it works, as clamd does over new signatures, and killed once it does not',
  async (t) => {
    let asked = 0
    const answers = async () => {
      asked += 1
      return false
    }
    const part: Part = {
      name: 'silent',
      command: () => killWithParent('bash', '-c', 'while :; do :; done'),
      ready: { check: async () => true },
      stopSignal: 'SIGKILL',
      grace: 5_000,
      alive: createAliveCheck(answers),
    }
    const supervised = supervise(part, join(t.testdir(), 'silent.log'), { every: 250, patience: 4 })
    t.teardown(() => supervised.stop())
    await supervised.ready
    const first = supervised.pid
    await until(() => asked > 8, { what: 'it was asked twice as often as is allowed' })
    t.equal(supervised.pid, first)
    process.kill(first as number, 'SIGSTOP')
    await until(() => ![undefined, first].includes(supervised.pid), { what: 'another one runs' })
  },
)
