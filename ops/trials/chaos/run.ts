import { config } from '#lib/config.ts'
import { missingPrograms } from '../../../workers/sandbox/programs.ts'
import { say } from '../../start/terminal.ts'
import { stopEarly } from '../stop-early.ts'
import type { Fault } from './fault.ts'
import { canMount } from './parts.ts'
import type { Random } from './random.ts'
import { type RoundSettings, type Row, runRound } from './round.ts'
import { type StageSettings, startStage } from './stage.ts'
import { createVideo } from './video.ts'

export interface RunSettings extends Omit<RoundSettings, 'film'>, Omit<StageSettings, 'smallDisks'> {
  /** Faults of each round. After these rounds, random combinations follow until the time has ended. */
  rounds: readonly (readonly Fault[])[]
  /** Time in milliseconds after which no further round starts. */
  time: number
  random: Random
  film: boolean
}

const atOnce = { least: 2, most: 3 }

/** If there are other faults, a worker is frozen only slightly longer than its lease. */
const shortFreeze = (settings: RunSettings) => Math.min(settings.freeze, settings.lease * 1.5)

/** Starts a stage, causes the faults and returns a row for each round. Calls `told` with each row. */
export async function run(settings: RunSettings, told: (row: Row) => void = () => {}): Promise<Row[]> {
  const { rounds, random } = settings
  const rows: Row[] = []
  await using ends = new AsyncDisposableStack()
  stopEarly(ends)
  const keep = () => rows.some(({ broken }) => broken.length > 0)
  const stage = await startStage({ ...settings, smallDisks: !settings.ground && (await canMount()) }, ends, keep)
  const film = settings.film ? await createVideo(stage.folder) : undefined
  const lacking = settings.live ? await missingPrograms({ LIVE_NGINX_PATH: config.LIVE_NGINX_PATH }) : []
  if (lacking.length > 0) say('chaos', `no channel is live: missing ${lacking.join()}`)
  const live = settings.live && lacking.length === 0
  const end = performance.now() + settings.time
  const add = (row: Row) => {
    rows.push(row)
    told(row)
  }

  const strike = async (faults: readonly Fault[], freeze: number) => {
    const number = rows.length + 1
    say('chaos', `round ${number}: ${faults.map(({ what }) => what).join('; ')}`)
    add(await runRound(stage, number, faults, { ...settings, freeze, film, live }, random))
  }

  for (const faults of rounds) {
    const skipped = faults.map(({ impossible }) => impossible?.(stage)).find((why) => why !== undefined)
    if (skipped) add({ ...nothing, number: rows.length + 1, faults: faults.map(({ name }) => name), skipped })
    else await strike(faults, settings.freeze)
  }
  const possible = [...new Set(rounds.flat())].filter(({ impossible }) => !impossible?.(stage))
  while (possible.length > 0 && performance.now() < end) {
    const count = atOnce.least + random.below(atOnce.most - atOnce.least + 1)
    await strike(random.shuffled(possible).slice(0, count), shortFreeze(settings))
  }
  if (keep()) say('chaos', `logs and data are in ${stage.folder}`)
  return rows
}

const nothing: Omit<Row, 'number' | 'faults'> = {
  accepted: 0,
  effects: 0,
  duplicates: 0,
  repeated: 0,
  recovery: undefined,
  broken: [],
}
