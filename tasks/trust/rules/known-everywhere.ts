import { setTimeout as pause } from 'node:timers/promises'

/** Time in milliseconds for which a process uses its data after the start of the last confirmation. */
export const leaseMs = 500

/**
 * Resolves when no process uses older data any longer. Call it after you commit a change and before you report success.
 * No process must be notified, because no process uses its data for longer.
 */
export const waitForCaches = (): Promise<void> => pause(leaseMs)
