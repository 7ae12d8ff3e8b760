import type { Command } from 'commander'
import { databaseChecks, databaseNames } from './doctor/database.ts'
import { type Check, type Finding, fault } from './doctor/finding.ts'
import { hostChecks } from './doctor/host.ts'
import { green, json, line, red } from './output.ts'
import { UsageError } from './usage.ts'

export function declare(program: Command): void {
  program
    .command('doctor')
    .description(
      'check database, migrations, backups, storage, workers, engines, email, clocks, ports and disk, and print fixes',
    )
    .option('--only <checks>', 'run only these checks, separated by commas, such as database,backup,archive')
    .option('--json', 'print JSON')
    .action(run)
}

/** Timeout of a check in milliseconds. */
const timeoutMs = 5_000

async function run(options: { only?: string; json?: boolean }): Promise<void> {
  const { checks, close } = await databaseChecks()
  const wanted = chosen([...checks, ...hostChecks()], options.only)
  const findings = (await Promise.all(wanted.map(examine))).flat()
  await close()
  if (options.json) json(findings)
  else for (const finding of findings) say(finding)
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1
}

/** Returns the selected checks. If the database is not responding, one finding replaces the checks that need it. */
function chosen(all: readonly Check[], only: string | undefined): readonly Check[] {
  if (only === undefined) return all
  const names = only.split(',').map((name) => name.trim())
  const away = databaseNames.filter((name) => !all.some((check) => check.name === name))
  const known = [...all.map(({ name }) => name), ...away]
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new UsageError(`--only: unknown check ${unknown.join(', ')}; the checks are ${known.join(', ')}`)
  return all.filter(
    ({ name }) => names.includes(name) || (name === 'database' && names.some((one) => away.includes(one))),
  )
}

async function examine(check: Check): Promise<Finding | Finding[]> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs / 1000} s`)), timeoutMs)
  try {
    return await Promise.race([check.look(), promise])
  } catch (error) {
    return fault(check.name, (error as Error).message || String(error), check.todo)
  } finally {
    clearTimeout(timer)
  }
}

function say({ check, ok, found, todo }: Finding): void {
  line(
    `${ok ? green('ok   ') : red('FAULT')}  ${check.padEnd(12)}  ${found.replaceAll(/\s+/g, ' ')}${todo ? ` → ${todo}` : ''}`,
  )
}
