/**
 * `npm run soak`: runs a complete Millrace at half of its capacity for an hour with faults, and measures resource use.
 */
import { randomInt } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { config } from '#lib/config.ts'
import { faults } from '../chaos/faults.ts'
import { createRandom } from '../chaos/random.ts'
import { readWholeOption } from '../chaos/whole-option.ts'
import { renderPage } from './page.ts'
import { soak } from './run.ts'
import { formatReport } from './tell.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string' },
    'fault-every': { type: 'string', default: '120' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    out: { type: 'string', default: join(config.MILLRACE_DATA, 'soak') },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log(`npm run soak -- [--minutes N] [--rate N] [--fault-every N] [--seed N] [--out FOLDER]
  --minutes      duration in minutes (60); the first ten are not checked, and trends need at least twenty
  --rate         items per second; default: half of the rate measured at the start
  --fault-every  seconds between two faults (120)
  --seed         selects faults, victims and visits; it is printed, so that you can repeat a run
  --out          folder for soak.html and soak.json`)
  process.exit(0)
}

const [minutes, seed, every] = [
  readWholeOption(values, 'minutes', 1),
  readWholeOption(values, 'seed', 0),
  readWholeOption(values, 'fault-every', 10),
]
const rate = values.rate === undefined ? undefined : readWholeOption(values, 'rate', 1)
console.log(`seed ${seed}: npm run soak -- --seed ${seed} --minutes ${minutes}`)
const report = await soak({
  minutes,
  rate,
  faults,
  faultEvery: every * 1000,
  warm: 600,
  sampleEvery: 5_000,
  tablesEvery: 30_000,
  workers: 3,
  lease: 12_000,
  sweep: 1_000,
  away: 8_000,
  settle: 240_000,
  random: createRandom(seed),
})
const out = resolve(values.out)
await mkdir(out, { recursive: true })
await writeFile(join(out, 'soak.json'), JSON.stringify(report))
await writeFile(join(out, 'soak.html'), renderPage(report))
console.log(`${formatReport(report)}\n\n${join(out, 'soak.html')}`)
process.exit(report.broken.length > 0 ? 1 : 0)
