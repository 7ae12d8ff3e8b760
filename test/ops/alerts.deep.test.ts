import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const folder = fileURLToPath(new URL('../../ops/deploy/prometheus', import.meta.url))
const promtool = (...args: string[]) => promisify(execFile)('promtool', args, { cwd: folder })
const isInstalled = await promtool('--version').then(
  () => true,
  () => false,
)
const skip = isInstalled ? false : 'promtool is not installed here: apt-get install prometheus'

t.test('Prometheus accepts the rules', { skip }, async (t) => {
  const { stdout } = await promtool('check', 'rules', 'alerts.yml', 'areas.yml')
  t.equal(stdout.match(/SUCCESS/g)?.length, 2, stdout)
})

t.test('alerts start and stay quiet as their tests say', { skip }, async (t) => {
  t.match((await promtool('test', 'rules', 'areas.test.yml')).stdout, /SUCCESS/)
})
