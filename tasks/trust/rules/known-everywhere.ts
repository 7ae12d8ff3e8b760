import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds for which a process uses its data after the start of the last confirmation. */
export const leaseMs = 500

/**
 * Resolves when no process uses older data any longer. Call it after committing a change and before reporting success.
 * No process needs to be notified, because none uses its data for longer.
 */
export const waitForCaches = (): Promise<void> => pause(leaseMs)
