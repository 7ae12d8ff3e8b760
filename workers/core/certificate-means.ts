import { readFile } from 'node:fs/promises'
import { config } from '#lib/config.ts'
import { createDns } from '#lib/dns.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/video/certificates.ts'
import type { CertificateMeans } from '#tasks/video/certificate-authority.ts'
import { openAuthority } from './certificate-authority.ts'

const lacks = (setting: string) => ({
  lacks: `This installation orders no certificates: its operator has not set ${setting}.`,
})

/** What this worker orders certificates with, or which setting keeps it from that. */
export async function certificateMeans(): Promise<CertificateMeans | { lacks: string }> {
  const { ACME_DIRECTORY_URL, ACME_TERMS_AGREED, ACME_CA_FILE, SIGNING_SECRET } = config
  if (!ACME_DIRECTORY_URL) return lacks('ACME_DIRECTORY_URL')
  if (!ACME_TERMS_AGREED) return lacks('ACME_TERMS_AGREED')
  if (!SIGNING_SECRET) return lacks('SIGNING_SECRET for its workers')
  const { ACME_EAB_KEY_ID: kid, ACME_EAB_HMAC_KEY: hmacKey } = config
  return {
    authority: openAuthority({
      directoryUrl: ACME_DIRECTORY_URL,
      contact: config.ACME_EMAIL ?? null,
      extraRoot: ACME_CA_FILE && (await readFile(ACME_CA_FILE, 'utf8')),
      binding: kid && hmacKey ? { kid, hmacKey } : undefined,
    }),
    seal: createSeal(SIGNING_SECRET, sealPurpose),
    dns: createDns(),
  }
}
