import { setTimeout as pause } from 'node:timers/promises'
import { runSql } from '../failover/run-sql.ts'
import { BackupTestBed, type RestorePoint } from './bed.ts'
import { compareWithLedger, runOperatorSteps } from './claims.ts'
import type { Host } from './host.ts'
import { killStrayProcesses } from './strays.ts'

export interface Options {
  rounds: number
  /** Number of items per second. */
  rate: number
  /** Duration of the load before and after the restored time, in milliseconds. */
  around: number
}

export interface Step {
  name: string
  ms: number
  found: string
  broken: readonly string[]
}

/**
 * Backs up a database under load, destroys it in several ways, and restores it each time. Reports each step to `tell`.
 */
export async function runBackups(options: Options, tell: (step: Step) => void): Promise<readonly Step[]> {
  await using ends = new AsyncDisposableStack()
  const run = new Run(await BackupTestBed.raise(ends), options, tell)
  await run.firstBackups()
  for (let round = 0; round < options.rounds; round++) {
    await run.newHost()
    await run.inPlace()
    await run.hostLost()
  }
  return run.steps
}

class Run {
  readonly steps: Step[] = []
  readonly #bed: BackupTestBed
  readonly #options: Options
  readonly #tell: (step: Step) => void

  constructor(bed: BackupTestBed, options: Options, tell: (step: Step) => void) {
    this.#bed = bed
    this.#options = options
    this.#tell = tell
  }

  async firstBackups(): Promise<void> {
    const { host } = this.#bed
    await this.#underLoad(() => pause(this.#options.around))
    await this.#command(host, 'stanza-create')
    await this.#command(host, 'check')
    await this.#command(host, 'backup', '--type=full')
    await this.#underLoad(() => this.#command(host, 'backup', '--type=diff'))
  }

  /**
   * Drops a table, and restores the database as it was a second before on another host. This host is backed up from
   * then on.
   */
  async newHost(): Promise<void> {
    const moment = await this.#accident()
    const host = await this.#bed.newHost()
    await this.#restore('to the second before a drop table, on another host', host, moment)
    await this.#command(host, 'check')
    await this.#command(host, 'backup', '--type=diff')
  }

  /** Drops a table, and restores the database in the existing folder. Only differences are fetched. */
  async inPlace(): Promise<void> {
    const moment = await this.#accident()
    await this.#restore('to the second before a drop table, in place', this.#bed.host, moment, '--delta')
  }

  async hostLost(): Promise<void> {
    const { host } = this.#bed
    const from = await this.#underLoad(async () => {
      await pause(this.#options.around)
      const archived = await this.#bed.archive()
      await pause(this.#options.around)
      await host.lose()
      await killStrayProcesses(host.options.folder)
      return archived
    })
    const all = { from, to: Number.POSITIVE_INFINITY, target: undefined }
    await this.#restore('of everything that a lost host had archived, on another', await this.#bed.newHost(), all)
  }

  /** Runs load, remembers a time, runs more load and drops a table. Then follows the guide: stop and restore. */
  async #accident(): Promise<RestorePoint> {
    const { host } = this.#bed
    const moment = await this.#underLoad(async () => {
      await pause(this.#options.around)
      const from = performance.now()
      const target = String(await runSql(this.#bed.urlOf(host), 'select clock_timestamp()::text'))
      const to = performance.now()
      await pause(this.#options.around)
      await runSql(this.#bed.urlOf(host), 'drop table erp.imports cascade')
      return { from, to, target }
    })
    await host.stop()
    return moment
  }

  async #restore(name: string, host: Host, moment: RestorePoint, ...args: string[]): Promise<void> {
    const point = moment.target ? ['--type=time', `--target=${moment.target}`, '--target-action=promote'] : []
    const { ms } = await host.pgbackrest('restore', ...point, ...args)
    const begun = performance.now()
    await host.start()
    const replayed = performance.now() - begun
    this.#bed.host = host
    const url = this.#bed.urlOf(host)
    const { items, gone, broken } = await compareWithLedger(url, this.#bed.ledger, moment)
    const faults = await runOperatorSteps(host, url, this.#bed.store)
    const found = `files ${seconds(ms)}, log ${seconds(replayed)}; ${items} items exist, ${gone} later ones gone`
    this.#done({ name: `restore ${name}`, ms: ms + replayed, found, broken: [...broken, ...faults] })
  }

  async #command(host: Host, command: string, ...args: string[]): Promise<void> {
    const { ms, said } = await host.pgbackrest(command, ...args)
    this.#done({ name: [command, ...args].join(' '), ms, found: said.trim(), broken: [] })
  }

  #done(step: Step): void {
    this.steps.push(step)
    this.#tell(step)
  }

  async #underLoad<T>(work: () => Promise<T>): Promise<T> {
    return await this.#bed.underLoad(this.#options.rate, work)
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
