import { stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { DatabasePool } from '#sql/db.ts'
import * as imports from '#sql/erp/imports.ts'
import { type ProfileName, profileNames, profiles } from '#tasks/erp/rules/profiles/index.ts'
import { startImport } from '#tasks/erp/rules/start-import.ts'
import { json, line, number } from './output.ts'
import { progress } from './progress.ts'
import { registerOptions } from './register-options.ts'
import { actor, withDatabase } from './session.ts'
import { openStorage } from './storage.ts'
import { CommandError, OptionErrors } from './usage.ts'

const everyMs = 250

export function declare(program: Command): void {
  const command = program.command('import').description('import a file, such as the companies of a register')
  registerOptions(command.command('erp'))
    .description(
      'import the companies of a register from a file, replacing existing ones; runs in a worker of the `web` pool',
    )
    .argument('<file>', 'CSV or JSON file in UTF-8, plain, gzip or zip')
    .requiredOption('--profile <profile>', `format of the file: ${profileNames.join(', ')}`)
    .option('--partial', 'treat the file as partial: do not mark missing companies')
    .option('--force', 'import even if more than half of the companies would be marked as missing')
    .option('--no-wait', 'do not wait until the import finishes')
    .option('--json', 'print JSON')
    .action(run)
}

interface Options {
  profile: string
  register?: string
  jurisdiction?: string
  licence?: string
  recordUrl?: string
  partial?: boolean
  force?: boolean
  wait: boolean
  json?: boolean
}

async function run(path: string, options: Options): Promise<void> {
  const wanted = await wantedOf(path, options)
  const storage = await openStorage()
  await withDatabase(async (db) => {
    const id = await startImport(db, storage, { path, ...wanted, actor: actor() })
    if (!options.wait)
      return options.json ? json({ id }) : line(`Import ${id} is waiting for a worker of the \`web\` pool.`)
    const one = await follow(db, id, options.json === true)
    if (options.json) json({ id, state: one.state, counts: one.counts, faults: one.faults, error: one.error })
    else if (one.counts) tell(one.register, one.counts, one.faults)
    if (one.state !== 'done')
      throw new CommandError(`${path} was not imported: ${one.error ?? `its run has the state ${one.run_state}.`}`)
  })
}

async function wantedOf(path: string, { profile, register, jurisdiction, licence, recordUrl, ...more }: Options) {
  const faults = new OptionErrors()
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) faults.add('file', `${path} is not a readable file`)
  if (!Object.hasOwn(profiles, profile)) faults.add('--profile', profileNames.join(', '))
  const name = register?.trim()
  if (name !== undefined && !/^.{1,80}$/.test(name)) faults.add('--register', '1 to 80 characters')
  if (jurisdiction !== undefined && !/^[a-z]{2}(-[a-z0-9]{1,3})?$/.test(jurisdiction))
    faults.add('--jurisdiction', 'must be a country, such as ee, or a subdivision, such as us-de')
  if (licence !== undefined && licence.length > 300) faults.add('--licence', 'must have at most 300 characters')
  if (recordUrl !== undefined && !/^https?:\/\/.+\{code\}/.test(recordUrl))
    faults.add('--record-url', 'must be an https:// URL that contains {code}')
  faults.demandNone()
  return {
    profile: profile as ProfileName,
    register: name,
    options: {
      ...(jurisdiction !== undefined && { jurisdiction }),
      ...(licence !== undefined && { licence }),
      ...(recordUrl !== undefined && { record_url: recordUrl }),
      partial: more.partial === true,
      anyway: more.force === true,
    },
  }
}

/**
 * Waits until an import has ended. Shows a progress bar on a terminal. The import continues if this command is
 * interrupted.
 */
async function follow(db: DatabasePool, id: string, quiet: boolean): Promise<imports.ImportProgress> {
  const bar = progress('importing', 100, quiet)
  try {
    for (;;) {
      const one = await imports.watch(db, id)
      if (!one) throw new CommandError(`Import ${id} no longer exists.`)
      bar.at(Math.floor(100 * (one.progress ?? 0)))
      if (one.state !== 'waiting' || ['failed', 'rejected', 'cancelled'].includes(one.run_state ?? '')) return one
      await pause(everyMs)
    }
  } finally {
    bar.end()
  }
}

function tell(register: string, counts: imports.Counts, faults: readonly imports.Fault[]): void {
  const { read, added, changed, missing, left_out, values_left_out } = counts
  line(
    `${register}: ${number(read)} companies, ${number(added)} added, ${number(changed)} changed, ${number(missing)} missing; ${number(left_out)} records and ${number(values_left_out)} values skipped.`,
  )
  for (const { line: at, issue } of faults.slice(0, 10)) line(`  line ${at}: ${issue}`)
}
