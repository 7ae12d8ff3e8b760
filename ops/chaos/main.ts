/**
 * `npm run chaos`: causes faults in a complete Millrace under load, on loopback, and compares the accepted items with
 * the stored data.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { faults } from './faults.ts'
import { createRandom } from './random.ts'
import { tableOf } from './report.ts'
import { run } from './run.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string', multiple: true, default: [] },
    rate: { type: 'string', default: '100' },
    lease: { type: 'string', default: '12' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log(`npm run chaos -- [--seconds N] [--seed N] [--only FAULT]... [--rate N] [--lease N]
  --seconds  after which no further round begins; each fault strikes once anyway (300; with --only 0)
  --seed     chooses victims, moments and combinations; printed, to see the same again
  --only     only this fault; may be given several times
  --rate     items a second (100)
  --lease    seconds for which a silent worker keeps its jobs (12); more where Postgres takes long to come back
faults:`)
  for (const { name, what } of faults) console.log(`  ${name.padEnd(22)} ${what}`)
  process.exit(0)
}

const usualSeconds = values.only.length > 0 ? '0' : '300'
const [seconds, seed, rate, lease] = (['seconds', 'seed', 'rate', 'lease'] as const).map((name) =>
  number(name, values[name] ?? usualSeconds),
)
const unknown = values.only.filter((name) => !faults.some((fault) => fault.name === name))
if (unknown.length > 0)
  fail(`--only: no such fault: ${unknown.join(', ')}; there are ${faults.map(({ name }) => name).join(', ')}`)

console.log(`seed ${seed}: npm run chaos -- --seed ${seed} --seconds ${seconds}`)
const rows = await run(
  {
    rounds: faults.filter(({ name }) => values.only.length === 0 || values.only.includes(name)).map((fault) => [fault]),
    random: createRandom(seed ?? 0),
    time: (seconds ?? 0) * 1000,
    workers: 3,
    lease: (lease ?? 0) * 1000,
    sweep: 1_000,
    rate: rate ?? 0,
    away: 8_000,
    freeze: 60_000,
    around: 200,
    settle: 180_000,
    leeway: 1,
    film: true,
    live: true,
  },
  (row) => console.log(tableOf([row]).split('\n').slice(1).join('\n')),
)
console.log(`\n${tableOf(rows)}\nseed ${seed}`)
process.exit(rows.some(({ broken }) => broken.length > 0) ? 1 : 0)

function number(name: string, text: string): number {
  const value = Number(text)
  if (!(value >= 0)) fail(`--${name} must be a number, at least 0.`)
  return value
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
