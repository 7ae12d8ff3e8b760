import { config } from '#lib/config.ts'
import type { EmailDomain } from '#sql/email/domains.ts'

/** Returns the address that receives the reports about a domain. No one can guess it. */
export const reportAddress = ({ report_mailbox }: Pick<EmailDomain, 'report_mailbox'>): string =>
  `reports+${report_mailbox}@${config.MAIL_HOSTNAME}`

/** Returns the token of a local part in lower case, or null if it is not of such an address. */
export const readReportLocalPart = (local: string): string | null =>
  /^reports\+([0-9a-f]{32})$/.exec(local)?.[1] ?? null

/** DNS records with which receiving servers send their reports to Millrace. */
export const reportRecords = (domain: Pick<EmailDomain, 'domain' | 'report_mailbox'>) => [
  {
    name: `_dmarc.${domain.domain}`,
    type: 'TXT' as const,
    value: `v=DMARC1; p=none; rua=mailto:${reportAddress(domain)}`,
    purpose: `Requests DMARC reports. If the record exists, add rua=mailto:${reportAddress(domain)} to it.`,
  },
  {
    name: `_smtp._tls.${domain.domain}`,
    type: 'TXT' as const,
    value: `v=TLSRPTv1; rua=mailto:${reportAddress(domain)}`,
    purpose: 'Requests reports about the TLS of email to your domain (RFC 8460).',
  },
]
