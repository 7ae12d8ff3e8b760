import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import type { LastFacts } from './dev-facts.ts'
import { preferPort } from './ports.ts'

export interface Submission {
  env: Record<string, string>
  ports: Record<string, number>
}

const none: Submission = { env: {}, ports: {} }

/**
 * Chooses the ports of email submission, and creates a self-signed certificate in the data folder if no certificate is
 * set. Without openssl, submission is off.
 */
export async function prepareSubmission(data: string, last: LastFacts): Promise<Submission> {
  const tls = await certificate(data)
  if (!tls) return none
  const mail_submission = config.MAIL_SUBMISSION_PORT || (await preferPort(config.HOST, last.ports?.mail_submission))
  const mail_submissions = config.MAIL_SUBMISSIONS_PORT || (await preferPort(config.HOST, last.ports?.mail_submissions))
  const env = {
    ...tls,
    MAIL_SUBMISSION_PORT: String(mail_submission),
    MAIL_SUBMISSIONS_PORT: String(mail_submissions),
  }
  return { env, ports: { mail_submission, mail_submissions } }
}

async function certificate(data: string): Promise<Record<string, string> | undefined> {
  if (config.MAIL_SUBMISSION_TLS_CERT || config.MAIL_TLS_CERT) return {}
  const [cert, key] = [join(data, 'submission.crt'), join(data, 'submission.key')]
  const made = { MAIL_SUBMISSION_TLS_CERT: cert, MAIL_SUBMISSION_TLS_KEY: key }
  if (existsSync(cert) && existsSync(key)) return made
  const names = `subjectAltName=DNS:localhost,DNS:${config.MAIL_HOSTNAME},IP:127.0.0.1`
  const subject = ['-subj', '/CN=Millrace development', '-addext', names, '-days', '825']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  try {
    await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert])
    return made
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
