import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { MessageChannel, Worker } from 'node:worker_threads'
import { childEnvironment } from '#lib/config.ts'

/** The launcher of the command line, as in \`npx millrace\`. */
export const program = fileURLToPath(new URL('../../ops/millrace', import.meta.url))

export interface Said {
  code: number
  out: string
  err: string
}

/** Arguments in a line, or as a list where one can contain a space. */
type Arguments = string | readonly string[]

const listOf = (line: Arguments) => (typeof line === 'string' ? line.split(' ').filter(Boolean) : [...line])

export interface Millrace {
  run(line: Arguments, environment?: Record<string, string>): Promise<Said>
  /** Returns a command’s JSON output. Throws if its exit code differs. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of what a command says.
  ask(line: Arguments, code?: number): Promise<any>
}

/** Runs a program, optionally in a folder. */
export function runLine(
  path: string,
  line: Arguments,
  env: NodeJS.ProcessEnv,
  cwd?: string,
  timeout = 60_000,
): Promise<Said> {
  const { promise, resolve } = Promise.withResolvers<Said>()
  execFile(path, listOf(line), { env, cwd, timeout }, (error, out, err) =>
    resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err }),
  )
  return promise
}

/**
 * The command line for a database, and its settings. A call runs in a thread that is kept for the next call. A call with
 * other settings, or during another call, starts the real program.
 */
export function commandLine(url: string, settings: Record<string, string> = {}): Millrace {
  const own = { DATABASE_URL: url, LOG_LEVEL: 'warn', ...settings }
  const thread = new CommandThread(childEnvironment(own))
  const run: Millrace['run'] = (line, environment = {}) =>
    Object.keys(environment).length === 0 && !thread.isBusy
      ? thread.run(line)
      : runLine(program, line, childEnvironment({ ...own, ...environment }))
  return {
    run,
    async ask(line, code = 0) {
      const said = await run([...listOf(line), '--json'])
      if (said.code !== code) throw new Error(`millrace ${line}: exit ${said.code}: ${said.err}`)
      return JSON.parse(said.out)
    },
  }
}

class CommandThread {
  readonly #env: NodeJS.ProcessEnv
  #worker: Worker | undefined
  isBusy = false

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env
  }

  async run(line: Arguments): Promise<Said> {
    this.isBusy = true
    this.#worker ??= this.#start()
    const worker = this.#worker
    const { port1: port, port2: theirs } = new MessageChannel()
    try {
      worker.postMessage({ args: listOf(line), port: theirs }, [theirs])
      const [said] = await once(port, 'message', { signal: AbortSignal.timeout(60_000) })
      return said as Said
    } finally {
      port.close()
      this.isBusy = false
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL('./cli-thread.ts', import.meta.url), { env: this.#env, execArgv: [] })
    worker.unref()
    worker.once('exit', () => {
      this.#worker = undefined
    })
    return worker
  }
}
