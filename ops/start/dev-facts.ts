import { z } from 'zod'
import { readPrivate, writePrivate } from '../private-file.ts'

/** What a developer, or a program of theirs, must know of the Millrace that runs here; a part that is off has no field. */
export const DevFacts = z.object({
  base_url: z.string(),
  /** The pages for operators; the key `operator` opens them. */
  console_url: z.string(),
  /** The pages for members of organisations. */
  app_url: z.string(),
  /** Where the owner of the organisation `dev` joins, once; no field when somebody has. */
  app_invitation: z.string().optional(),
  /** The page that shows all mail, unless mail leaves. */
  mail_url: z.string().optional(),
  /** The phone on which messages by WhatsApp show, unless they leave. */
  whatsapp_url: z.string().optional(),
  database_url: z.string(),
  s3: z.object({
    endpoint: z.string(),
    access_key: z.string(),
    secret_key: z.string(),
    bucket: z.string(),
    region: z.string(),
  }),
  /** The app that is there to try push with. */
  push: z
    .object({ app_id: z.string(), user_id: z.string(), installation_id: z.string(), demo_url: z.string() })
    .optional(),
  /** The development organisation's API keys by name; the only place where they stand in plain text. */
  keys: z.record(z.string(), z.string()),
  /** The port of each part. */
  ports: z.record(z.string(), z.number()),
})

/** What a developer must know of the Millrace that runs here. */
export type DevFacts = z.infer<typeof DevFacts>

const LastFacts = DevFacts.partial()

/** What an earlier start wrote down, which may be less. */
export type LastFacts = z.infer<typeof LastFacts>

/** The facts that the last start wrote, as far as they are legible. */
export async function readFacts(path: string): Promise<LastFacts> {
  const facts = LastFacts.safeParse(await readPrivate(path))
  return facts.success ? facts.data : {}
}

/** Writes the facts, for their owner only. */
export const writeFacts = (path: string, facts: DevFacts): Promise<void> => writePrivate(path, facts)
