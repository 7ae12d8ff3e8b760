import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isSet } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { every } from '#lib/every.ts'
import { log } from '#lib/log.ts'

/** Milliseconds between two signs of life; a fraction of the unit's WatchdogSec. */
const beatMs = 15_000

const tell = (...words: string[]) => promisify(execFile)('systemd-notify', words)

const logFailure = (error: Error) =>
  log.warn({ err: describe(error) }, 'cannot notify systemd that this process is alive')

/**
 * Where systemd runs this process, tells it that it is ready, and from then on that it lives (sd_notify(3)): one whose event loop
 * hangs falls silent and is started again. Node has no datagrams over Unix sockets, so a program tells it; the unit has NotifyAccess=all.
 */
export async function reportToSystemd(): Promise<void> {
  if (!isSet('NOTIFY_SOCKET')) return
  await tell('--ready').catch(logFailure)
  every(beatMs, () => tell('WATCHDOG=1'), logFailure).unref()
}
