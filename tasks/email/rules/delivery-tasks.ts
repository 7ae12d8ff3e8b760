import { z } from 'zod'

/** Payload of a delivery job. The messages are in `email.deliveries`. A job only starts the work. */
export const DeliveryJob = z.object({
  domain: z.string(),
  /** MX set when the job was added. Undefined if it was not looked up. */
  set: z.string().optional(),
  /** Dedicated pool. Undefined for the shared pool. */
  ip_pool: z.string().optional(),
})

export type DeliveryJob = z.infer<typeof DeliveryJob>

const common = {
  payload: DeliveryJob,
  attempts: 10,
  // A job takes half a minute, unless a server uses the full time that RFC 5321 §4.5.3.2 allows.
  timeout: 30 * 60_000,
  tracked: false,
}

export const deliveryTasks = {
  transactional: { name: 'email/deliver-transactional', pool: 'mail-transactional', ...common },
  campaign: { name: 'email/deliver-campaign', pool: 'mail-campaign', ...common },
} as const
