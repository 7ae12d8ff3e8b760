import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))

export interface StartedStack {
  pid: number
  /** Time in seconds from the command to the line that reports readiness. */
  seconds: number
  end(): Promise<void>
}

/** Runs `npm start` and waits until it is ready. If it exits before that, throws its output. */
export async function npmStart(settings: Record<string, string>, ends: AsyncDisposableStack): Promise<StartedStack> {
  const begun = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: childEnvironment({ TOUR: 'false', FRESHCLAM: 'false', ...settings }),
  })
  const end = () => ended(child)
  ends.defer(end)
  const said: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line)
    if (!line.includes('ready after')) continue
    child.stdout.resume()
    return { pid: child.pid ?? 0, seconds: (performance.now() - begun) / 1000, end }
  }
  throw new Error(`npm start exited before it was ready:\n${said.join('\n')}`)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}
