/** `npm run fleet`: runs workers on separate hosts in network namespaces. Hosts and links fail under load. */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createRandom } from '../chaos/random.ts'
import { formatRounds } from '../chaos/report.ts'
import { readWholeOption } from '../chaos/whole-option.ts'
import { runFleet } from './run.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string', multiple: true, default: [] },
    rate: { type: 'string', default: '60' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`npm run fleet -- [--seed N] [--only FAULT]... [--rate N], as root
  --seed  selects the load and the affected host; it is printed, so that you can repeat a run
  --only  only this fault: host-cut-off, host-lost, link-narrow, link-far, clocks-off; repeatable
  --rate  items per second (60)`)
  process.exit(0)
}
const [seed, rate] = [readWholeOption(values, 'seed', 0), readWholeOption(values, 'rate', 1)]
console.log(`seed ${seed}: npm run fleet -- --seed ${seed}`)
try {
  const rows = await runFleet(
    {
      random: createRandom(seed),
      time: 0,
      film: true,
      live: false,
      workers: 2,
      lease: 10_000,
      sweep: 1_000,
      rate,
      away: 10_000,
      freeze: 0,
      around: 100,
      settle: 240_000,
      leeway: 1,
    },
    values.only,
    (row) => console.log(formatRounds([row]).split('\n').slice(1).join('\n')),
  )
  console.log(`\n${formatRounds(rows)}\nseed ${seed}`)
  process.exit(rows.some(({ broken }) => broken.length > 0) ? 1 : 0)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
