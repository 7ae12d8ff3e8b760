import type { MailEngine } from '#tasks/email/mail-engine.ts'

/** Makes the engine of a pool. */
export function createMailEngine(): MailEngine {
  return { close: async () => {} }
}
