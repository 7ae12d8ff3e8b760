/** `npm run failover`: the primary of the database is killed under load, again and again, and its standby promoted. */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createRandom } from '../chaos/random.ts'
import { tableOf } from '../chaos/report.ts'
import { run } from '../chaos/run.ts'
import { wholeOption } from '../chaos/whole-option.ts'
import { pairGround } from './pair.ts'
import { primaryKilled } from './primary-killed.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    rate: { type: 'string', default: '60' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`npm run failover -- [--rounds N] [--seed N] [--rate N]
  --rounds  how often the primary is killed (10)
  --seed    chooses the load; printed, to see the same again
  --rate    items a second (60)`)
  process.exit(0)
}
const [rounds, seed, rate] = [
  wholeOption(values, 'rounds', 1),
  wholeOption(values, 'seed', 0),
  wholeOption(values, 'rate', 1),
]

console.log(`seed ${seed}: npm run failover -- --seed ${seed} --rounds ${rounds}`)
const { ground, pairOf } = pairGround()
const fault = primaryKilled(pairOf)
const rows = await run(
  {
    rounds: Array.from({ length: rounds }, () => [fault]),
    random: createRandom(seed),
    time: 0,
    film: false,
    live: false,
    workers: 2,
    lease: 10_000,
    sweep: 1_000,
    rate,
    away: 0,
    freeze: 0,
    around: 100,
    settle: 180_000,
    leeway: 1,
    ground,
  },
  (row) => console.log(tableOf([row]).split('\n').slice(1).join('\n')),
)
console.log(`\n${tableOf(rows)}\nseed ${seed}`)
process.exit(rows.some(({ broken }) => broken.length > 0) ? 1 : 0)
