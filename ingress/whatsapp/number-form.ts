import { z } from 'zod'
import { secret } from '#lib/secret-fields.ts'

const MetaId = z.string().regex(/^\d{1,40}$/, 'must be a Meta ID: digits only')

/** Schema of a secret from Meta. It cannot contain spaces or characters that could end a header. */
const printable = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[\x21-\x7e]+$/, 'must contain only printable ASCII without spaces')

const AppSecret = secret(printable(200)).describe(
  'App secret of the Meta app (Settings → Basic). Meta signs webhooks with it.',
)

const AccessToken = secret(printable(2_000)).describe('Token of a system user of the business account')

const VerifyToken = secret(
  z
    .string()
    .min(16)
    .max(200)
    .regex(/^[\w.~-]+$/, 'must contain only letters, digits and . _ ~ -'),
).describe('Token that Meta sends when the webhook is set up. Generated if omitted.')

export const NumberForm = z.strictObject({
  phone_number_id: MetaId,
  business_account_id: MetaId,
  access_token: AccessToken,
  app_secret: AppSecret,
  verify_token: VerifyToken.optional(),
})

export const RotateNumberBody = z
  .strictObject({
    access_token: AccessToken.optional(),
    app_secret: AppSecret.optional(),
    verify_token: VerifyToken.optional(),
  })
  .refine((form) => Object.values(form).some((one) => one !== undefined), {
    error: 'must contain at least one of `access_token`, `app_secret` and `verify_token`',
  })
