import { Command, CommanderError } from 'commander'

/** Modules of the commands. Only the module of the executed command is loaded. */
const commands: Record<string, () => Promise<{ declare(program: Command): void }>> = {
  queue: () => import('./queue.ts'),
  jobs: () => import('./jobs.ts'),
  errors: () => import('./errors.ts'),
  retry: () => import('./jobs/actions.ts'),
  cancel: () => import('./jobs/actions.ts'),
  discard: () => import('./jobs/actions.ts'),
  reschedule: () => import('./jobs/actions.ts'),
  pause: () => import('./pause.ts'),
  resume: () => import('./pause.ts'),
  workers: () => import('./workers.ts'),
  drain: () => import('./jobs/drain.ts'),
  files: () => import('./files.ts'),
  storage: () => import('./storage-check.ts'),
  email: () => import('./email.ts'),
  trust: () => import('./trust.ts'),
  erp: () => import('./erp.ts'),
  import: () => import('./import.ts'),
  voice: () => import('./voice.ts'),
  whatsapp: () => import('./whatsapp.ts'),
  actions: () => import('./actions.ts'),
  audit: () => import('./audit.ts'),
  keys: () => import('./keys.ts'),
  cells: () => import('./cells.ts'),
  orgs: () => import('./orgs.ts'),
  usage: () => import('./orgs/usage.ts'),
  plans: () => import('./plans.ts'),
  models: () => import('./models.ts'),
  ai: () => import('./ai.ts'),
  config: () => import('./config.ts'),
  status: () => import('./status.ts'),
  doctor: () => import('./doctor.ts'),
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

/** Runs one command line. Returns its exit code: 0 for success, 1 for a failure, 2 for invalid usage. */
export async function main(args: string[]): Promise<number> {
  const program = new Command('millrace').description(about).addHelpText('after', examples)
  program.exitOverride().configureHelp({ sortSubcommands: false }).showSuggestionAfterError()
  const asked = args.find((arg) => !arg.startsWith('-')) ?? ''
  const wanted = Object.entries(commands).filter(([name]) => name === asked)
  const loading = (wanted.length > 0 ? wanted : Object.entries(commands)).map(([, load]) => load())
  for (const { declare } of new Set(await Promise.all(loading))) declare(program)
  try {
    const { rejectUnknownOptions } = await import('./usage.ts')
    rejectUnknownOptions(program, args)
    await program.parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    return await tell(error)
  }
}

/** Prints an error to stderr. Internal errors include their stack. */
async function tell(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const [{ describeError }, { printable }] = await Promise.all([import('./usage.ts'), import('./output.ts')])
  const { message, code } = describeError(error)
  process.stderr.write(`${printable(message)}\n`)
  return code
}
