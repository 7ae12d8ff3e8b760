/**
 * `npm run bench -- NAME [--options]`: measures a limit of the machine and the same work in the product, in the same
 * run.
 */
import { printResults, runAllBenchmarks } from './all.ts'
import { type Benchmark, CannotMeasureError, InvalidOptionError } from './benchmark.ts'
import { campaign } from './campaign.ts'
import { churn } from './churn.ts'
import { claimPlan } from './claim-plan.ts'
import { closure } from './closure.ts'
import { delivery } from './delivery.ts'
import { depth } from './depth.ts'
import { directory } from './directory.ts'
import { erp } from './erp.ts'
import { fairness } from './fairness.ts'
import { geo } from './geo.ts'
import { guard } from './guard.ts'
import { hooks } from './hooks.ts'
import { hostile } from './hostile.ts'
import { hosts } from './hosts.ts'
import { images } from './images.ts'
import { ingest } from './ingest.ts'
import { ingress } from './ingress.ts'
import { jobs } from './jobs.ts'
import { knowledge } from './knowledge.ts'
import { live } from './live.ts'
import { liveOrigin } from './live-origin.ts'
import { liveRenditions } from './live-renditions.ts'
import { mail } from './mail.ts'
import { mailApi } from './mail-api.ts'
import { notify } from './notify.ts'
import { openapi } from './openapi.ts'
import { origin } from './origin.ts'
import { outbox } from './outbox.ts'
import { parseOptions } from './parse-options.ts'
import { partitions } from './partitions.ts'
import { passages } from './passages.ts'
import { playable } from './playable.ts'
import { push } from './push.ts'
import { pushFanOut } from './push-fan-out.ts'
import { pushStreams } from './push-streams.ts'
import { queue } from './queue.ts'
import { replica } from './replica.ts'
import { print, save } from './report.ts'
import { requestLog } from './request-log.ts'
import { roomsAir } from './rooms-air.ts'
import { scan } from './scan.ts'
import { scanMemory } from './scan-memory.ts'
import { sentences } from './sentences.ts'
import { start } from './start.ts'
import { statements } from './statements.ts'
import { store } from './store.ts'
import { submission } from './submission.ts'
import { templates } from './templates.ts'
import { transcode } from './transcode.ts'
import { trust } from './trust.ts'
import { wiki } from './wiki.ts'

const benchmarks: Record<string, Benchmark> = {
  transcode,
  playable,
  hosts,
  live,
  'live-origin': liveOrigin,
  'live-renditions': liveRenditions,
  'rooms-air': roomsAir,
  queue,
  'claim-plan': claimPlan,
  images,
  ingress,
  openapi,
  'request-log': requestLog,
  fairness,
  origin,
  outbox,
  delivery,
  store,
  scan,
  'scan-memory': scanMemory,
  mail,
  geo,
  erp,
  'mail-api': mailApi,
  submission,
  templates,
  notify,
  jobs,
  push,
  'push-streams': pushStreams,
  'push-fan-out': pushFanOut,
  directory,
  trust,
  wiki,
  knowledge,
  sentences,
  passages,
  guard,
  hooks,
  hostile,
  closure,
  replica,
  partitions,
  start,
  depth,
  campaign,
  statements,
  ingest,
  churn,
}

/** `all` runs these only by name, and prints their last results. */
const takesHours: ReadonlySet<string> = new Set(['depth', 'campaign', 'ingest', 'churn'])

const [name = '', ...args] = process.argv.slice(2)
if (name === 'all' || name === 'results') {
  const unknown = args.filter((one) => !(one in benchmarks))
  if (unknown.length > 0) {
    console.error(`Unknown benchmark: ${unknown.join(', ')}. The benchmarks are ${Object.keys(benchmarks).join(', ')}.`)
    process.exit(1)
  }
  const names = args.length > 0 ? args : Object.keys(benchmarks)
  const isRun = (one: string) => args.length > 0 || !takesHours.has(one)
  if (name === 'all')
    process.exit(
      await runAllBenchmarks(
        names.filter(isRun),
        names.filter((one) => !isRun(one)),
      ),
    )
  await printResults(names)
  process.exit(0)
}
const benchmark = benchmarks[name]
if (!benchmark) {
  if (name !== '') console.error(`Unknown benchmark: ${name}.`)
  console.log(
    'npm run bench -- NAME [--options]: NAME is one of these. all runs the benchmarks that take minutes, or the names after it. results prints the last results.',
  )
  for (const [known, { summary, options, names }] of Object.entries(benchmarks)) {
    console.log(`  ${known.padEnd(11)} ${summary}`)
    if (names) console.log(`  ${''.padEnd(11)}   NAME…: ${names}`)
    for (const [option, { about, default: usual }] of Object.entries(options)) {
      console.log(`  ${''.padEnd(11)}   --${option} N: ${about} (${usual})`)
    }
  }
  process.exit(name === '' ? 0 : 1)
}

const ends = new AsyncDisposableStack()
let ended: Promise<void> | undefined
const end = () => (ended ??= ends.disposeAsync())
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void end().finally(() => process.exit(130)))
}
try {
  const { numbers, names } = parseOptions(benchmark, args)
  const report = await benchmark.run(numbers, ends, names)
  print(name, report)
  console.log(`  written to ${await save(name, report)}`)
} catch (error) {
  if (!(error instanceof CannotMeasureError || error instanceof InvalidOptionError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await end()
}
