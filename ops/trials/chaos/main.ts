/**
 * `npm run chaos`: causes faults in a complete Millrace under load, on loopback, and compares the accepted items with
 * the stored data.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { faults } from './faults.ts'
import { createRandom } from './random.ts'
import { formatRounds } from './report.ts'
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
  --seconds  seconds after which no further round starts; each fault occurs at least once (300; with --only 0)
  --seed     selects victims, times and combinations; it is printed, so that you can repeat a run
  --only     only this fault; repeatable
  --rate     items per second (100)
  --lease    seconds after which a silent worker loses its jobs (12); use more if Postgres restarts slowly
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
  fail(`--only: unknown fault: ${unknown.join(', ')}; the faults are ${faults.map(({ name }) => name).join(', ')}`)

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
  (row) => console.log(formatRounds([row]).split('\n').slice(1).join('\n')),
)
console.log(`\n${formatRounds(rows)}\nseed ${seed}`)
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
