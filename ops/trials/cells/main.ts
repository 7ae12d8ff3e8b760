/**
 * `npm run cells`: runs two complete Millrace installations with HAProxy in front, freezes and kills one of them, and
 * sends requests to both.
 */
import { parseArgs } from 'node:util'
import { readWholeOption } from '../chaos/whole-option.ts'
import { whyNoHaproxy } from './haproxy.ts'
import { findFailedChecks, formatMedianRatios, formatPhases, run } from './run.ts'

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
  --seconds  duration of each of the five phases (10)
  --rate     requests per second on each of the six paths (10)
  --workers  start workers of all pools in each cell`)
  process.exit(0)
}
const [seconds, rate] = [readWholeOption(values, 'seconds', 1), readWholeOption(values, 'rate', 1)]
const missing = await whyNoHaproxy()
if (missing) {
  console.error(`${missing}: apt-get install haproxy.`)
  process.exit(2)
}
const phases = await run({ phase: seconds * 1000, rate, workers: values.workers }, console.log)
const broken = findFailedChecks(phases)
console.log(
  `\n${formatPhases(phases)}\n${formatMedianRatios(phases).join('\n')}\n${broken.length === 0 ? 'No request of cell a failed because of cell b.' : broken.join('\n')}`,
)
process.exit(broken.length > 0 ? 1 : 0)
