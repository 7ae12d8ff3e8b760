import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Scope } from './postgres.ts'

/** Starts a program and waits until it prints `ready`. It ends with the test. Returns what kills it at once. */
export async function startProcess(t: Scope, program: URL, args: readonly string[]): Promise<() => Promise<void>> {
  const line = ['--pdeathsig=KILL', '--', process.execPath, fileURLToPath(program), ...args]
  const child = spawn('setpriv', line, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  await new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (said) => said === 'ready' && resolve())
  })
  return kill
}
