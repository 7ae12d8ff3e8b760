import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import type { Scope } from './postgres.ts'

/** Path of Firefox in Debian. */
const firefoxPath = '/usr/bin/firefox-esr'

/** Reason why no Firefox is available, or false. */
export const noFirefox = existsSync(firefoxPath)
  ? false
  : 'Firefox is not installed: firefox-esr (bash ops/setup.sh deep)'

/** A fake camera and microphone without permission prompts, and no requests to the vendor. */
const preferences = {
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.normandy.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Answer = any

export interface FirefoxPage {
  goto(url: string): Promise<void>
  click(selector: string): Promise<void>
  evaluate(expression: string): Promise<unknown>
  errors: string[]
}

/** Starts Firefox with a new profile and additional preferences, and opens a page, until the test ends. */
export async function openFirefox(
  t: Scope,
  more: Readonly<Record<string, string | number | boolean>> = {},
): Promise<FirefoxPage> {
  const profile = await mkdtemp(join(tmpdir(), 'millrace-firefox-'))
  const lines = Object.entries({ ...preferences, ...more }).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`,
  )
  await writeFile(join(profile, 'user.js'), lines.join(''))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank']
  const browser = spawn(firefoxPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: profile },
  })
  const gone = once(browser, 'exit')
  t.teardown(async () => {
    browser.kill('SIGKILL')
    await gone
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  const remote = await openRemote(await listening(browser))
  t.teardown(async () => remote.close())
  await remote.ask('session.new', { capabilities: {} })
  const { contexts } = await remote.ask('browsingContext.getTree', {})
  const context = contexts[0].context
  const errors: string[] = []
  remote.hear('log.entryAdded', ({ level, text }) => {
    if (level === 'error' || level === 'warn') errors.push(text)
  })
  await remote.ask('session.subscribe', { events: ['log.entryAdded'] })
  return {
    errors,
    async goto(url) {
      await remote.ask('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    async click(selector) {
      const locator = { type: 'css', value: selector }
      const { nodes } = await remote.ask('browsingContext.locateNodes', { context, locator, maxNodeCount: 1 })
      const origin = { type: 'element', element: { sharedId: nodes[0].sharedId } }
      const press = ['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 }))
      const pointer = { type: 'pointer', id: 'mouse', actions: [{ type: 'pointerMove', x: 0, y: 0, origin }, ...press] }
      await remote.ask('input.performActions', { context, actions: [pointer] })
    },
    async evaluate(expression) {
      const asked = { expression: `(async () => JSON.stringify(await (${expression})))()`, target: { context } }
      const answer = await remote.ask('script.evaluate', { ...asked, awaitPromise: true })
      if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text)
      return answer.result.value === undefined ? undefined : JSON.parse(answer.result.value)
    },
  }
}

/** Returns the URL for commands of a starting Firefox. */
async function listening(browser: ChildProcess): Promise<string> {
  const said: string[] = []
  if (browser.stderr) {
    for await (const line of createInterface(browser.stderr)) {
      said.push(line)
      const [address] = /ws:\/\/\S+/.exec(line) ?? []
      if (address) {
        browser.stderr.resume()
        return address
      }
    }
  }
  throw new Error(`Firefox did not start:\n${said.join('\n')}`)
}

async function openRemote(address: string) {
  const socket = new WebSocket(`${address}/session`)
  await once(socket, 'open')
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>()
  const listeners = new Map<string, (event: Answer) => void>()
  socket.on('message', (data) => {
    const { id, method, params, result, error, message } = JSON.parse(String(data))
    if (method) return listeners.get(method)?.(params)
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error) asked?.reject(new Error(`${error}: ${message}`))
    else asked?.resolve(result)
  })
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox is gone'))
  })
  let ids = 0
  return {
    hear: (method: string, listener: (event: Answer) => void) => void listeners.set(method, listener),
    ask: (method: string, params: object) =>
      new Promise<Answer>((resolve, reject) => {
        waiting.set(++ids, { resolve, reject })
        socket.send(JSON.stringify({ id: ids, method, params }))
      }),
    close: () => socket.terminate(),
  }
}
