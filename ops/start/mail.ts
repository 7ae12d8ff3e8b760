import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { devDomain } from './dev-domain.ts'
import type { LastFacts } from './dev-facts.ts'
import * as parts from './parts.ts'
import { preferPort } from './ports.ts'
import { prepareSubmission } from './submission.ts'
import type { Part } from './supervise.ts'

export interface StartedMail {
  env: Record<string, string>
  ports: Record<string, number>
  mail_url?: string
}

/** Finds a port for returned email, and starts the mail catcher unless email is delivered. */
export async function startMail(
  { data, last, start }: { data: string; last: LastFacts; start: (...group: Part[]) => Promise<void> },
  databaseUrl: string,
): Promise<StartedMail> {
  const mail_inbound = config.MAIL_INBOUND_PORT || (await preferPort(config.HOST, last.ports?.mail_inbound))
  await mkdir(data, { recursive: true })
  const submission = await prepareSubmission(data, last)
  const inbound = { MAIL_INBOUND_PORT: String(mail_inbound), ...submission.env }
  const ports = { mail_inbound, ...submission.ports }
  if (config.MAIL_SMARTHOST || !config.MAIL_CATCHER) return { env: inbound, ports }
  const mail_smtp = await preferPort('127.0.0.1', last.ports?.mail_smtp)
  const mail_catcher = await preferPort(config.HOST, last.ports?.mail_catcher)
  const dir = join(data, 'mail')
  await start(parts.mailCatcher({ host: config.HOST, dir, smtp: mail_smtp, http: mail_catcher, databaseUrl }))
  return {
    // Caught email is not delivered, so every organisation can send from the development domain.
    env: {
      ...inbound,
      MAIL_SHARED_DOMAIN: devDomain,
      MAIL_SMARTHOST: `smtp://127.0.0.1:${mail_smtp}`,
      MAIL_SMARTHOST_DELIVERS: 'true',
    },
    ports: { ...ports, mail_smtp, mail_catcher },
    mail_url: `http://${parts.reachable(config.HOST)}:${mail_catcher}`,
  }
}
