import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { readPrivate, writePrivate } from '../private-file.ts'

const make = (bytes: number) => randomBytes(bytes).toString('hex')

/** The secrets of one machine's embedded parts; what is missing is made up. */
const Secrets = z.object({
  postgres_password: z.string().default(() => make(24)),
  database_password: z.string().default(() => make(24)),
  // Named as the object store wants them in the file it is given.
  access_key: z.string().default(() => `MR${make(9).toUpperCase()}`),
  secret_key: z.string().default(() => make(24)),
  signing_secret: z.string().default(() => make(32)),
  turn_secret: z.string().default(() => make(24)),
  // Of the sandbox of the Cloud API, likewise.
  whatsapp_access_token: z.string().default(() => make(24)),
  whatsapp_app_secret: z.string().default(() => make(24)),
  whatsapp_verify_token: z.string().default(() => make(24)),
})

/** The secrets of one machine's embedded parts. */
export type Secrets = z.infer<typeof Secrets>

/** The secrets in the file; they are made once, and later only those that are new. */
export async function keepSecrets(path: string): Promise<Secrets> {
  const kept = await readPrivate(path)
  const secrets = Secrets.parse(kept ?? {})
  if (JSON.stringify(kept) !== JSON.stringify(secrets)) await writePrivate(path, secrets)
  return secrets
}
