import type { Command } from 'commander'
import { databaseChecks } from './doctor-database.ts'
import { hostChecks } from './doctor-host.ts'
import { type Check, type Finding, fault } from './finding.ts'
import { green, json, line, red } from './output.ts'

/** `millrace doctor`: whether all parts are there and well, a line each. */
export function declare(program: Command): void {
  program
    .command('doctor')
    .description(
      'whether database, migrations, backups, storage, workers, engines, mail, clocks, ports and disk are well; what to do if not',
    )
    .option('--json', 'for programs')
    .action(run)
}

/** How long a check may take. */
const timeoutMs = 5_000

async function run(options: { json?: boolean }): Promise<void> {
  const { checks, close } = await databaseChecks()
  const findings = (await Promise.all([...checks, ...hostChecks()].map(examine))).flat()
  await close()
  if (options.json) json(findings)
  else for (const finding of findings) say(finding)
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1
}

async function examine(check: Check): Promise<Finding | Finding[]> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs)
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
