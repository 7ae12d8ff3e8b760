import { service } from '../../http/container.ts'
import { createLimiter } from '../../http/limits/rate-limits.ts'

export interface DeviceCodes {
  /** Counts one entered code of a user. Throws 429 after too many. */
  countTry(userId: string): Promise<void>
}

/** Maximum number of entered codes per minute and user, in all processes. A code has 20⁸ values and lives 10 minutes. */
const triesPerMinute = 15

export const deviceCodes = service<DeviceCodes>({
  name: 'account.device codes',
  open({ db }) {
    const take = createLimiter(db)
    return {
      async countTry(userId) {
        const bucket = { name: `device code:${userId}`, quota: triesPerMinute, windowMs: 60_000, limit: 'device codes' }
        await take([bucket])
      },
    }
  },
})
