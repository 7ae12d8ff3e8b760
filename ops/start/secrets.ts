import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { readPrivate, writePrivate } from '../private-file.ts'

const make = (bytes: number) => randomBytes(bytes).toString('hex')

const Secrets = z.object({
  postgres_password: z.string().default(() => make(24)),
  database_password: z.string().default(() => make(24)),
  // Names as in the object store’s credentials file.
  access_key: z.string().default(() => `MR${make(9).toUpperCase()}`),
  secret_key: z.string().default(() => make(24)),
  signing_secret: z.string().default(() => make(32)),
  turn_secret: z.string().default(() => make(24)),
  // Names as in the WhatsApp sandbox’s credentials file.
  whatsapp_access_token: z.string().default(() => make(24)),
  whatsapp_app_secret: z.string().default(() => make(24)),
  whatsapp_verify_token: z.string().default(() => make(24)),
  // Name as in the SMS sandbox’s credentials file.
  sms_auth_token: z.string().default(() => make(24)),
})

export type Secrets = z.infer<typeof Secrets>

/** Returns the secrets in the file. Generates and stores missing secrets. */
export async function keepSecrets(path: string): Promise<Secrets> {
  const kept = await readPrivate(path)
  const secrets = Secrets.parse(kept ?? {})
  if (JSON.stringify(kept) !== JSON.stringify(secrets)) await writePrivate(path, secrets)
  return secrets
}
