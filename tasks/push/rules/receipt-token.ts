import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const purpose = 'push receipt'
const Payload = z.object({ d: Id })

/** The token by which a device shows that a delivery reached it; it goes with the payload and is good for that delivery alone. */
export const signReceipt = (deliveryId: string, secret: string): string => signToken(purpose, { d: deliveryId }, secret)

/** The id of the delivery that a receipt's token is for; null for a token that is not ours. */
export const verifyReceipt = (token: string, secret: string): string | null =>
  verifyToken(purpose, token, secret, Payload)?.d ?? null
