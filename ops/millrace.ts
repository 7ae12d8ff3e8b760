/**
 * `npx millrace`: shows and operates a fleet in a terminal. Exit codes: 0 for success, 1 for a failure, 2 for invalid
 * usage.
 */
import { enableCompileCache } from 'node:module'
import { Command, CommanderError } from 'commander'

// Reduces the start time, because imports are read from the compile cache.
enableCompileCache()

/** Modules of the commands. Only the module of the executed command is loaded. */
const commands: Record<string, () => Promise<{ declare(program: Command): void }>> = {
  queue: () => import('./cli/queue.ts'),
  jobs: () => import('./cli/jobs.ts'),
  errors: () => import('./cli/errors.ts'),
  retry: () => import('./cli/jobs/actions.ts'),
  cancel: () => import('./cli/jobs/actions.ts'),
  discard: () => import('./cli/jobs/actions.ts'),
  reschedule: () => import('./cli/jobs/actions.ts'),
  pause: () => import('./cli/pause.ts'),
  resume: () => import('./cli/pause.ts'),
  workers: () => import('./cli/workers.ts'),
  drain: () => import('./cli/jobs/drain.ts'),
  files: () => import('./cli/files.ts'),
  storage: () => import('./cli/storage-check.ts'),
  email: () => import('./cli/email.ts'),
  trust: () => import('./cli/trust.ts'),
  erp: () => import('./cli/erp.ts'),
  import: () => import('./cli/import.ts'),
  voice: () => import('./cli/voice.ts'),
  whatsapp: () => import('./cli/whatsapp.ts'),
  actions: () => import('./cli/actions.ts'),
  audit: () => import('./cli/audit.ts'),
  keys: () => import('./cli/keys.ts'),
  cells: () => import('./cli/cells.ts'),
  orgs: () => import('./cli/orgs.ts'),
  usage: () => import('./cli/orgs/usage.ts'),
  plans: () => import('./cli/plans.ts'),
  config: () => import('./cli/config.ts'),
  doctor: () => import('./cli/doctor.ts'),
}

const about = `Shows and operates the queue of a Millrace installation.

The command uses the database of DATABASE_URL, or the database of the
development stack in the folder MILLRACE_DATA (.data). Every subcommand accepts
--json.`

const examples = `
Examples:
  millrace queue                                    show all pools and tasks
  millrace jobs --state failed --newer-than 1h      show recently failed jobs
  millrace jobs show core:12                        show all details of one job
  millrace retry --task video/probe --yes           retry all failed jobs of one task
  millrace pause media --reason "new ffmpeg"        start no jobs of the media pool on any host
  millrace drain web-3                              stop starting jobs on a host, and wait until it is idle`

async function main(args: string[]): Promise<number> {
  const program = new Command('millrace').description(about).addHelpText('after', examples)
  program.exitOverride().configureHelp({ sortSubcommands: false }).showSuggestionAfterError()
  const asked = args.find((arg) => !arg.startsWith('-')) ?? ''
  const wanted = commands[asked] ? [commands[asked]] : [...new Set(Object.values(commands).map(String))].map(loaderOf)
  for (const load of wanted) (await load()).declare(program)
  try {
    const { rejectUnknownOptions: demandKnownOptions } = await import('./cli/usage.ts')
    demandKnownOptions(program, args)
    await program.parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    return await tell(error)
  }
}

const loaderOf = (text: string) =>
  Object.values(commands).find((load) => String(load) === text) as (typeof commands)[string]

/** Prints an error to stderr. Internal errors include their stack. */
async function tell(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const [{ describeError: explain }, { printable }] = await Promise.all([
    import('./cli/usage.ts'),
    import('./cli/output.ts'),
  ])
  const { message, code } = explain(error)
  process.stderr.write(`${printable(message)}\n`)
  return code
}

process.stdout.on('error', () => process.exit(0))
process.exit(await main(process.argv.slice(2)))
