import { isIP } from 'node:net'
import { config, publicUrl } from '#lib/config.ts'
import type { DkimKey, EmailDomain } from '#sql/email/domains.ts'

export const recordKinds = [
  'dkim_rsa',
  'dkim_ed25519',
  'return_path_mx',
  'return_path_spf',
  'spf',
  'dmarc',
  'tracking_host',
] as const

export type RecordKind = (typeof recordKinds)[number]

export interface WantedRecord {
  kind: RecordKind
  name: string
  type: 'TXT' | 'MX' | 'CNAME' | 'A' | 'AAAA'
  value: string
  /** For MX records (RFC 5321 §5.1). */
  priority: number | null
  purpose: string
  /** True if the domain cannot be verified without this record. */
  required: boolean
}

export const spfInclude = (): string => config.MAIL_SPF_INCLUDE ?? `spf.${config.MAIL_HOSTNAME}`

/** RFC 6376 §3.6.2.1. */
export const keyName = (domain: string, selector: string): string => `${selector}._domainkey.${domain}`

export const getKeyRecordKind = ({ algorithm }: Pick<DkimKey, 'algorithm'>): 'dkim_rsa' | 'dkim_ed25519' =>
  algorithm === 'rsa-sha256' ? 'dkim_rsa' : 'dkim_ed25519'

const purposes = {
  dkim_rsa: 'Signs your email (DKIM, RSA-2048). A value longer than 255 characters is split into several strings.',
  dkim_ed25519: 'Adds a second signature to your email (DKIM, Ed25519, RFC 8463). Used when Millrace finds the record.',
}

/** Host of this installation to which a host of links points. */
export const trackingTarget = (): string => new URL(publicUrl()).hostname.replace(/^\[|\]$/g, '')

function pointer() {
  const value = trackingTarget()
  return { type: ({ 4: 'A', 6: 'AAAA' } as const)[isIP(value)] ?? ('CNAME' as const), value }
}

export type DomainNames = Pick<EmailDomain, 'domain' | 'return_path'> & Partial<Pick<EmailDomain, 'tracking_host'>>

export function listRecords(
  { domain, return_path, tracking_host = null }: DomainNames,
  keys: readonly Pick<DkimKey, 'selector' | 'algorithm' | 'public_key'>[],
): WantedRecord[] {
  const include = spfInclude()
  const text = { type: 'TXT' as const, priority: null }
  return [
    ...keys.map((key) => ({
      ...text,
      kind: getKeyRecordKind(key),
      name: keyName(domain, key.selector),
      value: `v=DKIM1; k=${key.algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'}; p=${key.public_key}`,
      purpose: purposes[getKeyRecordKind(key)],
      required: key.algorithm === 'rsa-sha256',
    })),
    {
      kind: 'return_path_mx',
      name: return_path,
      type: 'MX',
      value: config.MAIL_HOSTNAME,
      priority: 10,
      purpose: 'Receives bounces, so that Millrace knows which addresses do not exist.',
      required: true,
    },
    {
      ...text,
      kind: 'return_path_spf',
      name: return_path,
      value: `v=spf1 include:${include} -all`,
      purpose: 'Allows Millrace to send with your return path. Receiving servers check SPF there.',
      required: true,
    },
    {
      ...text,
      kind: 'spf',
      name: domain,
      value: `v=spf1 include:${include} ~all`,
      purpose: `Allows Millrace to send from your domain. If the domain already has an SPF record, add include:${include} to that record. Two SPF records are an error.`,
      required: false,
    },
    {
      ...text,
      kind: 'dmarc',
      name: `_dmarc.${domain}`,
      value: 'v=DMARC1; p=none',
      purpose:
        'Large providers expect a policy. Start with p=none, and make the policy stricter when all your email passes.',
      required: false,
    },
    ...(tracking_host === null
      ? []
      : [
          {
            kind: 'tracking_host' as const,
            name: tracking_host,
            ...pointer(),
            priority: null,
            purpose:
              'Points the host of tracked links to Millrace. Its certificate is ordered when the record is found.',
            required: false,
          },
        ]),
  ]
}
