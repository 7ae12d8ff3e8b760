import { z } from 'zod'
import { toStorableText } from '#lib/outside-text.ts'
import { checkPeriod, ReportFaultError, type TlsReport } from './report.ts'

const text = z.string().transform((said) => toStorableText(said.trim(), 255))
const optional = text.nullish().transform((said) => said || null)
const count = z
  .number()
  .int()
  .min(0)
  .max(2 ** 40)

const Failure = z.object({
  'result-type': text,
  'failed-session-count': count.default(0),
  'sending-mta-ip': optional,
  'receiving-mx-hostname': optional,
  'receiving-ip': optional,
  'failure-reason-code': optional,
})

const Policy = z.object({
  policy: z.object({
    'policy-type': text,
    'policy-domain': text,
    'mx-host': z.union([z.array(text), text.transform((one) => [one])]).nullish(),
  }),
  summary: z.object({ 'total-successful-session-count': count, 'total-failure-session-count': count }),
  'failure-details': z.array(Failure).nullish(),
})

const Report = z.object({
  'organization-name': text.pipe(z.string().min(1)),
  'date-range': z.object({ 'start-datetime': z.string().max(60), 'end-datetime': z.string().max(60) }),
  'contact-info': optional,
  'report-id': text.pipe(z.string().min(1)),
  policies: z.array(Policy).min(1).max(100),
})

const mostDetails = 200

/** Parses a TLS report. Throws `ReportFaultError` if it is not one. */
export function readTls(json: string): TlsReport {
  const parsed = Report.safeParse(parse(json))
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.') || 'object'
    throw new ReportFaultError(`The TLS report has no valid ${toStorableText(path, 100)}`)
  }
  const { data } = parsed
  const { 'start-datetime': start, 'end-datetime': end } = data['date-range']
  return {
    kind: 'tls',
    reporter: data['organization-name'],
    contact: data['contact-info'],
    report_id: data['report-id'],
    ...checkPeriod(Date.parse(start), Date.parse(end)),
    policies: data.policies.map(policyOf),
  }
}

function policyOf({ policy, summary, 'failure-details': details }: z.output<typeof Policy>) {
  return {
    type: policy['policy-type'],
    domain: policy['policy-domain'].toLowerCase().replace(/\.$/, ''),
    mx_hosts: (policy['mx-host'] ?? []).slice(0, 20),
    successes: summary['total-successful-session-count'],
    failures: summary['total-failure-session-count'],
    details: (details ?? []).slice(0, mostDetails).map((detail) => ({
      result_type: detail['result-type'],
      count: detail['failed-session-count'],
      sending_ip: detail['sending-mta-ip'],
      receiving_host: detail['receiving-mx-hostname'],
      receiving_ip: detail['receiving-ip'],
      reason: detail['failure-reason-code'],
    })),
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new ReportFaultError('The JSON of the report is not well-formed')
  }
}
