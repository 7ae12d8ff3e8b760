/** `npm run failover`: database hosts fail under load, and Patroni promotes another host. */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createRandom } from '../chaos/random.ts'
import { formatRounds } from '../chaos/report.ts'
import { readWholeOption } from '../chaos/whole-option.ts'
import { formatSummary } from './figures.ts'
import { faultNames, runFailover } from './run.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    fault: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    rate: { type: 'string', default: '60' },
    live: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`npm run failover -- [--rounds N] [--fault FAULT]... [--seed N] [--rate N] [--live], as root
  --rounds  how often each fault occurs (10)
  --fault   only this fault: ${faultNames.join(', ')}; repeatable
  --seed    selects the load; it is printed, so that you can repeat a run
  --rate    items per second (60)
  --live    with a live broadcast, which must not stall for any viewer`)
  process.exit(0)
}
const [rounds, seed, rate] = [
  readWholeOption(values, 'rounds', 1),
  readWholeOption(values, 'seed', 0),
  readWholeOption(values, 'rate', 1),
]

console.log(`seed ${seed}: npm run failover -- --seed ${seed} --rounds ${rounds}`)
try {
  const { rows, figures } = await runFailover(
    {
      rounds,
      random: createRandom(seed),
      time: 0,
      film: false,
      live: values.live,
      workers: 2,
      lease: 20_000,
      sweep: 1_000,
      rate,
      away: 5_000,
      freeze: 0,
      around: 100,
      settle: 180_000,
      leeway: 1,
    },
    values.fault,
    (row) => console.log(formatRounds([row]).split('\n').slice(1).join('\n')),
  )
  console.log(`\n${formatRounds(rows)}\n\n${formatSummary(figures, rows)}\nseed ${seed}`)
  process.exit(rows.some(({ broken }) => broken.length > 0) ? 1 : 0)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
