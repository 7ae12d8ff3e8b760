import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds for which a process that answers checks believes what it knows, from when it began to ask whether it is still so. */
export const leaseMs = 500

/**
 * Resolves when no process answers any more by what was so before: who has committed a change waits for it before they say so. No
 * process need be asked, as none believes for longer what it knows.
 */
export const knownEverywhere = (): Promise<void> => pause(leaseMs)
