/** A row of a DMARC report: messages of one source with the same results (RFC 7489, appendix C). */
export interface DmarcRow {
  source_ip: string
  count: number
  disposition: 'none' | 'quarantine' | 'reject'
  dkim_aligned: boolean
  spf_aligned: boolean
  header_from: string | null
  envelope_from: string | null
  override: string | null
  spf_domain: string | null
  spf_result: string | null
  dkim_domain: string | null
  dkim_selector: string | null
  dkim_result: string | null
}

interface Heading {
  reporter: string
  report_id: string
  /** ISO 8601. */
  begins_at: string
  ends_at: string
}

export interface DmarcReport extends Heading {
  kind: 'dmarc'
  reporter_email: string | null
  policy_domain: string
  policy: string | null
  subdomain_policy: string | null
  percent: number | null
  rows: DmarcRow[]
}

export interface TlsFailure {
  result_type: string
  count: number
  sending_ip: string | null
  receiving_host: string | null
  receiving_ip: string | null
  reason: string | null
}

export interface TlsPolicy {
  type: string
  domain: string
  mx_hosts: string[]
  successes: number
  failures: number
  details: TlsFailure[]
}

/** RFC 8460 §4. */
export interface TlsReport extends Heading {
  kind: 'tls'
  contact: string | null
  policies: TlsPolicy[]
}

export type AggregateReport = DmarcReport | TlsReport

/** Thrown if a report is invalid. The message is for the server that sent it. */
export class ReportFaultError extends Error {
  override name = 'ReportFaultError'
}

const day = 86_400_000

/** Returns the time as ISO 8601. Throws if a report has no possible time. */
export function checkPeriod(
  begins: number,
  ends: number,
  now: number = Date.now(),
): Pick<Heading, 'begins_at' | 'ends_at'> {
  if (!(begins <= ends && ends - begins <= 31 * day && begins > now - 90 * day && ends < now + 2 * day))
    throw new ReportFaultError('The report has no valid time range within the last 90 days')
  return { begins_at: new Date(begins).toISOString(), ends_at: new Date(ends).toISOString() }
}
