/**
 * `npm run cells`: runs two complete Millraces with HAProxy in front, freezes and kills one of them, and sends requests
 * to both.
 */
import { parseArgs } from 'node:util'
import { wholeOption } from '../chaos/whole-option.ts'
import { noHaproxy } from './haproxy.ts'
import { brokenOf, feltOf, run, tableOf } from './run.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '10' },
    workers: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`npm run cells -- [--seconds N] [--rate N] [--workers]
  --seconds  how long each of the five phases is watched (10)
  --rate     requests a second of each of the six ways (10)
  --workers  with workers of all pools in each cell`)
  process.exit(0)
}
const [seconds, rate] = [wholeOption(values, 'seconds', 1), wholeOption(values, 'rate', 1)]
const missing = await noHaproxy()
if (missing) {
  console.error(`${missing}: apt-get install haproxy.`)
  process.exit(2)
}
const phases = await run({ phase: seconds * 1000, rate, workers: values.workers }, console.log)
const broken = brokenOf(phases)
console.log(
  `\n${tableOf(phases)}\n${feltOf(phases).join('\n')}\n${broken.length === 0 ? 'No request of cell a failed because of cell b.' : broken.join('\n')}`,
)
process.exit(broken.length > 0 ? 1 : 0)
