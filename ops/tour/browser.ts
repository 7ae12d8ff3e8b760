import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { childEnvironment } from '#lib/config.ts'

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export interface TourPage {
  evaluate(expression: string): Promise<unknown>
}

export interface TourBrowser {
  open(url: string): Promise<TourPage>
  close(): Promise<void>
}

export const findBrowser = (): string | undefined => paths.find((path) => existsSync(path))

export async function startBrowser(path: string, folder: string): Promise<TourBrowser> {
  const flags = [
    ...['--headless=new', '--disable-gpu', '--no-first-run', '--mute-audio', '--disable-background-networking'],
    ...['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
    ...['--autoplay-policy=no-user-gesture-required', '--remote-debugging-port=0', `--user-data-dir=${folder}`],
    '--disable-backgrounding-occluded-windows',
    // The browser's sandbox does not work as root, and the browser opens only Millrace's pages.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ]
  const child = spawn(path, flags, { env: childEnvironment({ HOME: folder }), stdio: ['ignore', 'ignore', 'pipe'] })
  const socket = new WebSocket(await debuggerOf(child))
  await once(socket, 'open')
  const command = commandsOf(socket)
  return {
    async open(url) {
      // Each page gets a separate window. A background tab is hidden, and a room sends no video to hidden pages.
      const { targetId } = await command('Target.createTarget', { url, newWindow: true })
      const { sessionId } = await command('Target.attachToTarget', { targetId, flatten: true })
      return {
        async evaluate(expression) {
          const asked = { expression, returnByValue: true, awaitPromise: true }
          const { result } = await command('Runtime.evaluate', asked, String(sessionId))
          return (result as { value?: unknown }).value
        },
      }
    },
    async close() {
      socket.close()
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

async function debuggerOf(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('The browser process has no stderr stream.')
  for await (const line of createInterface(child.stderr)) {
    const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1]
    if (address) return address
  }
  throw new Error('The browser did not start.')
}

type Result = Record<string, unknown>
interface Answer {
  id?: number
  result?: Result
  error?: { message: string }
}

function commandsOf(socket: WebSocket) {
  const asked = new Map<number, (answer: Answer) => void>()
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer
    if (answer.id !== undefined) asked.get(answer.id)?.(answer)
  })
  socket.addEventListener('close', () => {
    for (const resolve of asked.values()) resolve({ error: { message: 'the browser has exited' } })
  })
  let last = 0
  return async (method: string, params: Result, sessionId?: string): Promise<Result> => {
    const id = ++last
    const { promise, resolve } = Promise.withResolvers<Answer>()
    asked.set(id, resolve)
    socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }))
    const { result, error } = await promise
    asked.delete(id)
    if (!result) throw new Error(`${method}: ${error?.message ?? 'no result'}`)
    return result
  }
}
