/**
 * `npm run backup`: backs up a database under load and restores it to a point in time, with the files of
 * `ops/deploy/pgbackrest`.
 */
import { parseArgs } from 'node:util'
import { readWholeOption } from '../chaos/whole-option.ts'
import { runBackups, type Step } from './run.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    rate: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`npm run backup -- [--rounds N] [--rate N]
  --rounds  how often each failure occurs (1)
  --rate    items per second in the meantime (20)`)
  process.exit(0)
}
const options = {
  rounds: readWholeOption(values, 'rounds', 1),
  rate: readWholeOption(values, 'rate', 1),
  around: 2_000,
}

const tell = ({ name, ms, found, broken }: Step) => {
  console.log(`${`${(ms / 1000).toFixed(2)} s`.padStart(8)}  ${broken.length === 0 ? 'holds ' : 'BROKEN'}  ${name}`)
  for (const text of [found, ...broken].filter(Boolean)) console.log(`${' '.repeat(18)}${text}`)
}
const steps = await runBackups(options, tell)
process.exit(steps.some(({ broken }) => broken.length > 0) ? 1 : 0)
