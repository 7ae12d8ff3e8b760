import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'

/** The launcher of the command line, as in \`npx millrace\`. */
export const program = fileURLToPath(new URL('../../ops/millrace', import.meta.url))

export interface Said {
  code: number
  out: string
  err: string
}

export interface Millrace {
  /** Runs the real program with the arguments in a line. */
  run(line: string, environment?: Record<string, string>): Promise<Said>
  /** Returns a command’s JSON output. Throws if its exit code differs. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of what a command says.
  ask(line: string, code?: number): Promise<any>
}

/** Runs a program with the arguments in a line, optionally in a folder. */
export function runLine(
  path: string,
  line: string,
  env: NodeJS.ProcessEnv,
  cwd?: string,
  timeout = 60_000,
): Promise<Said> {
  const { promise, resolve } = Promise.withResolvers<Said>()
  execFile(path, line.split(' ').filter(Boolean), { env, cwd, timeout }, (error, out, err) =>
    resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err }),
  )
  return promise
}

export function commandLine(url: string): Millrace {
  const run: Millrace['run'] = (line, environment = {}) =>
    runLine(program, line, childEnvironment({ DATABASE_URL: url, LOG_LEVEL: 'warn', ...environment }))
  return {
    run,
    async ask(line, code = 0) {
      const said = await run(`${line} --json`)
      if (said.code !== code) throw new Error(`millrace ${line}: exit ${said.code}: ${said.err}`)
      return JSON.parse(said.out)
    },
  }
}
