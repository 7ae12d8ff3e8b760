import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isSet } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'

/** Interval between heartbeats in milliseconds, a fraction of the unit's WatchdogSec. */
const beatMs = 15_000

const tell = (...words: string[]) => promisify(execFile)('systemd-notify', words)

const logFailure = (error: Error) =>
  log.warn({ err: describe(error) }, 'cannot notify systemd that this process is alive')

/**
 * Under systemd, reports that this process is ready, then sends heartbeats (sd_notify(3)). If the event loop hangs,
 * heartbeats stop and systemd restarts the process. Node cannot send datagrams over Unix sockets, so another program
 * sends them, and the unit has NotifyAccess=all.
 */
export async function reportToSystemd(): Promise<void> {
  if (!isSet('NOTIFY_SOCKET')) return
  await tell('--ready').catch(logFailure)
  runEvery(beatMs, () => tell('WATCHDOG=1'), logFailure).unref()
}
