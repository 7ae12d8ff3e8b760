import { z } from 'zod'

/** What a job of delivery begins with. What is to be delivered is in `email.deliveries`: a job only wakes. */
export const DeliveryJob = z.object({
  /** Whose mail is due. */
  domain: z.string(),
  /** The MX set it had when the job was added; undefined when it was not looked up. */
  set: z.string().optional(),
})

/** What a job of delivery begins with. */
export type DeliveryJob = z.infer<typeof DeliveryJob>

const common = {
  payload: DeliveryJob,
  attempts: 10,
  // A job is over within half a minute, but for a server that takes as long to answer as RFC 5321 §4.5.3.2 lets it.
  timeout: 30 * 60_000,
  tracked: false,
}

/** The tasks that deliver, as those know them who wake delivery. */
export const deliveryTasks = {
  transactional: { name: 'email/deliver-transactional', pool: 'mail-transactional', ...common },
  campaign: { name: 'email/deliver-campaign', pool: 'mail-campaign', ...common },
} as const
