import { z } from 'zod'

/** Schema of a sender: a phone number, a short code, or a name (3GPP TS 23.040: up to 11 characters). */
export const Sender = z
  .string()
  .trim()
  .max(16)
  .regex(/^(\+[1-9]\d{6,14}|\d{3,8}|[A-Za-z0-9 &._-]{1,11})$/, {
    error: 'must be a number in E.164, a short code, or a name of up to 11 letters, digits, spaces and & . _ -',
    abort: true,
  })
  .refine((sender) => /^\+?\d+$/.test(sender) || /[A-Za-z]/.test(sender), 'must contain a letter, if it is a name')

/** Maximum number of characters of a text. The maximum of 10 segments can be lower. */
export const maxText = 1_600

export const Text = z
  .string()
  .max(maxText)
  .refine((text) => text.trim() !== '', 'must not be blank')

export const ClientReference = z.string().min(1).max(255)
