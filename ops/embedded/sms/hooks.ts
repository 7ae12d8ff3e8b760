import { setTimeout as pause } from 'node:timers/promises'
import { signTwilio } from '#tasks/sms/rules/twilio-callback.ts'

/** Delays in milliseconds before the attempts to deliver a callback. */
const pauses = [0, 500, 2_000, 5_000, 15_000]

export interface Hooks {
  /** Sends a signed form, after all earlier ones. */
  send(url: string, form: Readonly<Record<string, string>>): void
  close(): void
}

export function createHooks(authToken: string): Hooks {
  const stopping = new AbortController()
  let last: Promise<void> = Promise.resolve()

  async function deliver(url: string, form: Readonly<Record<string, string>>): Promise<void> {
    const body = new URLSearchParams(form)
    const headers = { 'x-twilio-signature': signTwilio(authToken, url, body) }
    let why = ''
    for (const ms of pauses) {
      await pause(ms, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      try {
        const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(10_000)])
        const answer = await fetch(url, { method: 'POST', headers, body, signal })
        await answer.arrayBuffer()
        if (answer.ok) return
        why = `the response was ${answer.status}`
      } catch (error) {
        why = (error as Error).message
      }
    }
    process.stderr.write(`a callback could not be delivered: ${why}\n`)
  }

  return {
    send(url, form) {
      last = last.then(() => deliver(url, form))
    },
    close: () => stopping.abort(),
  }
}
