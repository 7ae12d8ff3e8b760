import { z } from 'zod'
import { secret } from '#lib/secret-fields.ts'

const MetaId = z.string().regex(/^\d{1,40}$/, 'must be an id of Meta’s: digits')

/** A secret as Meta shows it: no blanks, nothing that could end a header. */
const printable = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks')

const AppSecret = secret(printable(200)).describe('Of the Meta app (Settings → Basic): by it webhooks are signed')

const AccessToken = secret(printable(2_000)).describe('Of a system user of the business account')

const VerifyToken = secret(
  z
    .string()
    .min(16)
    .max(200)
    .regex(/^[\w.~-]+$/, 'must be letters, digits and . _ ~ -'),
).describe('What Meta proves itself with when the webhook is set up; made up here unless given')

/** A number that is to be connected. */
export const NumberForm = z.strictObject({
  phone_number_id: MetaId,
  business_account_id: MetaId,
  access_token: AccessToken,
  app_secret: AppSecret,
  verify_token: VerifyToken.optional(),
})

/** Secrets that take the place of others. */
export const RotateForm = z
  .strictObject({
    access_token: AccessToken.optional(),
    app_secret: AppSecret.optional(),
    verify_token: VerifyToken.optional(),
  })
  .refine((form) => Object.values(form).some((one) => one !== undefined), {
    error: 'must have one of `access_token`, `app_secret` and `verify_token`',
  })
