import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { config } from '#lib/config.ts'
import { createSeal } from '#lib/seal.ts'
import type { DatabasePool } from '#sql/db.ts'
import { findServed } from '#sql/email/host-certificates.ts'
import { keySealContext, sealPurpose } from '#sql/video/certificates.ts'
import { isOrdered } from '#tasks/email/rules/submission-host.ts'

export interface Certificate {
  cert: Buffer
  key: Buffer
}

/** Paths of PEM files. */
export interface CertificateFiles {
  cert: string | undefined
  key: string | undefined
}

export const configuredFiles: CertificateFiles = {
  cert: config.MAIL_SUBMISSION_TLS_CERT ?? config.MAIL_TLS_CERT,
  key: config.MAIL_SUBMISSION_TLS_KEY ?? config.MAIL_TLS_KEY,
}

/** Returns the present certificate. Undefined if it is not issued yet. Throws if its files cannot be read. */
export type ReadCertificate = () => Promise<Certificate | undefined>

/** Reads the certificate from files. `variable` is the setting that requires it. */
export function readFiles({ cert, key }: CertificateFiles, variable: string): ReadCertificate {
  if (!cert || !key) {
    throw new Error(
      `${variable} requires MAIL_SUBMISSION_TLS_CERT and MAIL_SUBMISSION_TLS_KEY, or MAIL_SUBMISSION_HOST and ACME_DIRECTORY_URL.`,
    )
  }
  return async () => checked({ cert: await readFile(cert), key: await readFile(key) })
}

/** Reads the certificate that Millrace ordered for `hostname`. */
export function readIssued(db: DatabasePool, hostname: string, secret: string): ReadCertificate {
  const seal = createSeal(secret, sealPurpose)
  return async () => {
    const found = await findServed(db, hostname)
    const key = found && seal.open(found.key, keySealContext(hostname))
    return found && key ? checked({ cert: Buffer.from(found.chain), key: Buffer.from(key) }) : undefined
  }
}

/** Reads the certificate as the settings say. */
export const readConfigured = (db: DatabasePool, secret: () => string, variable: string): ReadCertificate =>
  config.MAIL_SUBMISSION_HOST && isOrdered()
    ? readIssued(db, config.MAIL_SUBMISSION_HOST, secret())
    : readFiles(configuredFiles, variable)

/** Throws if the key does not belong to the certificate, for example while files are being replaced. */
function checked(certificate: Certificate): Certificate {
  createSecureContext(certificate)
  return certificate
}

export const isSame = (a: Certificate, b: Certificate): boolean => a.cert.equals(b.cert) && a.key.equals(b.key)
