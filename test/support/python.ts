import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export const debianPython = '/usr/bin/python3'

export const pythonClient = fileURLToPath(new URL('../../sdk/python/', import.meta.url))

export interface Run {
  input?: string
  env?: Record<string, string>
  cwd?: string
}

/** Runs a program and returns its output. Rejects with all output if it fails. */
export async function run(program: string, args: string[], options: Run = {}): Promise<string> {
  const child = started(program, args, options)
  child.stdin.on('error', () => undefined).end(options.input)
  const [printed, complaints] = [text(child.stdout), text(child.stderr)]
  const [code] = await once(child, 'close')
  if (code !== 0)
    throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${await complaints}\n${await printed}`)
  return await printed
}

const started = (program: string, args: string[], { env, cwd }: Run): ChildProcessWithoutNullStreams =>
  spawn(program, args, {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
    stdio: 'pipe',
    ...(cwd ? { cwd } : {}),
  })

const withClient = (options: Run): Run => ({ ...options, env: { PYTHONPATH: `${pythonClient}src`, ...options.env } })

export const runPython = (args: string[], options: Run = {}): Promise<string> =>
  run(debianPython, args, withClient(options))

export const startPython = (args: string[], options: Run = {}): ChildProcessWithoutNullStreams =>
  started(debianPython, args, withClient(options))
