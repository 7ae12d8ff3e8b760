import { z } from 'zod'
import { readPrivate, writePrivate } from '../private-file.ts'

/** Data about the running Millrace for developers and their code. A part that is off has no field. */
export const DevFacts = z.object({
  base_url: z.string(),
  console_url: z.string(),
  app_url: z.string(),
  /** URL with which the owner can join the organisation `dev` once. Missing if an owner exists. */
  app_invitation: z.string().optional(),
  mail_url: z.string().optional(),
  whatsapp_url: z.string().optional(),
  sms_url: z.string().optional(),
  database_url: z.string(),
  s3: z.object({
    endpoint: z.string(),
    access_key: z.string(),
    secret_key: z.string(),
    bucket: z.string(),
    region: z.string(),
  }),
  push: z
    .object({ app_id: z.string(), user_id: z.string(), installation_id: z.string(), demo_url: z.string() })
    .optional(),
  /** API keys of the development organisation by name. Their plain text is stored only here. */
  keys: z.record(z.string(), z.string()),
  ports: z.record(z.string(), z.number()),
})

export type DevFacts = z.infer<typeof DevFacts>

const LastFacts = DevFacts.partial()

export type LastFacts = z.infer<typeof LastFacts>

export async function readFacts(path: string): Promise<LastFacts> {
  const facts = LastFacts.safeParse(await readPrivate(path))
  return facts.success ? facts.data : {}
}

export const writeFacts = (path: string, facts: DevFacts): Promise<void> => writePrivate(path, facts)
