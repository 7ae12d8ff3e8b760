import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'

/** The launcher of the command line, which is what \`npx millrace\` runs. */
export const program = fileURLToPath(new URL('../../ops/millrace', import.meta.url))

/** What a command said, and its exit code. */
export interface Said {
  code: number
  out: string
  err: string
}

/** The command line on a test's database. */
export interface Millrace {
  /** Runs the real program with the words of a line. */
  run(line: string, environment?: Record<string, string>): Promise<Said>
  /** What a command says as JSON; throws when its exit code is another. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of what a command says.
  ask(line: string, code?: number): Promise<any>
}

/** Runs a program with the words of a line, in a folder if one is named. */
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

/** Drives the command line on a database. */
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
