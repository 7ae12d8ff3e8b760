import { readFile } from 'node:fs/promises'
import { config } from '#lib/config.ts'
import { createDns } from '#lib/network/dns.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/video/certificates.ts'
import type { CertificateIssuer } from '#tasks/video/rules/domains/certificate-authority.ts'
import { openAuthority } from './certificate-authority.ts'

const lacks = (setting: string) => ({
  lacks: `This installation cannot order certificates. The operator must set ${setting}.`,
})

/** Returns the certificate issuer, or the name of the missing setting. */
export async function certificateIssuer(): Promise<CertificateIssuer | { lacks: string }> {
  const { ACME_DIRECTORY_URL, ACME_TERMS_AGREED, ACME_CA_FILE, SIGNING_SECRET } = config
  if (!ACME_DIRECTORY_URL) return lacks('ACME_DIRECTORY_URL')
  if (!ACME_TERMS_AGREED) return lacks('ACME_TERMS_AGREED')
  if (!SIGNING_SECRET) return lacks('SIGNING_SECRET for its workers')
  const { ACME_EAB_KEY_ID: kid, ACME_EAB_HMAC_KEY: hmacKey } = config
  if (kid && !hmacKey) return lacks('ACME_EAB_HMAC_KEY')
  if (hmacKey && !kid) return lacks('ACME_EAB_KEY_ID')
  return {
    authority: openAuthority({
      directoryUrl: ACME_DIRECTORY_URL,
      contact: config.ACME_EMAIL ?? null,
      extraRoot: ACME_CA_FILE && (await readRoot(ACME_CA_FILE)),
      binding: kid && hmacKey ? { kid, hmacKey } : undefined,
    }),
    seal: createSeal(SIGNING_SECRET, sealPurpose),
    dns: createDns(),
  }
}

async function readRoot(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new Error(`ACME_CA_FILE: ${path} cannot be read: ${(error as Error).message}`)
  }
}
