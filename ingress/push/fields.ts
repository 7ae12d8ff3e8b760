import { z } from 'zod'

/** The customer's own id of a person. */
export const UserId = z
  .string()
  .min(1)
  .max(256)
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')
  .describe('Your own id of the person')

/** The customer's own id of a device. */
export const DeviceId = z
  .string()
  .min(1)
  .max(256)
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')

/** A language tag (RFC 5646), such as `de` or `de-AT`. */
export const Locale = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'must be a language tag, such as de or de-AT')
  .transform((tag) => tag.replaceAll('_', '-'))

const reserved = /^(from|message_type|google.*|gcm.*|push_.*)$/i

/** What the app gets beside what is shown: string values, as FCM has them. */
export const Data = z.record(
  z
    .string()
    .min(1)
    .max(100)
    .refine((name) => !reserved.test(name), 'is a name that FCM or this service keeps for itself'),
  z.string(),
)
