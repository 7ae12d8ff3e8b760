import { isIP } from 'node:net'
import { toDomain } from '#lib/email-address.ts'
import { toStorableText } from '#lib/outside-text.ts'
import { checkPeriod, type DmarcReport, type DmarcRow, ReportFaultError } from './report.ts'
import { childOf, childrenOf, type Element, parseXml, textOf, XmlFaultError } from './xml.ts'

const mostRows = 10_000

/** Parses a DMARC aggregate report. Throws `ReportFaultError` if it is not one. */
export function readDmarc(xml: string): DmarcReport {
  const feedback = parse(xml)
  if (feedback.name !== 'feedback') throw new ReportFaultError('The XML is not a DMARC report')
  const metadata = childOf(feedback, 'report_metadata')
  const published = childOf(feedback, 'policy_published')
  const range = childOf(metadata, 'date_range')
  const percent = Number(textOf(published, 'pct') ?? 'NaN')
  const records = childrenOf(feedback, 'record')
  if (records.length > mostRows) throw new ReportFaultError(`The report has more than ${mostRows} records`)
  return {
    kind: 'dmarc',
    reporter: short(need(metadata, 'org_name')),
    reporter_email: orNull(textOf(metadata, 'email')),
    report_id: short(need(metadata, 'report_id')),
    ...checkPeriod(secondsOf(range, 'begin'), secondsOf(range, 'end')),
    policy_domain: toDomain(need(published, 'domain').replace(/\.$/, '')) ?? fault('policy_published.domain'),
    policy: orNull(textOf(published, 'p')),
    subdomain_policy: orNull(textOf(published, 'sp')),
    percent: Number.isInteger(percent) && percent >= 0 && percent <= 100 ? percent : null,
    rows: merge(records.map(rowOf)),
  }
}

function parse(xml: string): Element {
  try {
    return parseXml(xml)
  } catch (error) {
    throw error instanceof XmlFaultError ? new ReportFaultError(error.message.replace(/\.$/, '')) : error
  }
}

const short = (text: string): string => toStorableText(text, 255)
const orNull = (text: string | undefined): string | null => (text === undefined ? null : short(text))

function fault(name: string): never {
  throw new ReportFaultError(`The report has no valid ${name}`)
}

const need = (element: Element | undefined, name: string): string => textOf(element, name) ?? fault(name)

function secondsOf(range: Element | undefined, name: string): number {
  const text = need(range, name)
  return /^\d{1,11}$/.test(text) ? Number(text) * 1_000 : fault(name)
}

const dispositions = ['none', 'quarantine', 'reject'] as const

function rowOf(record: Element): DmarcRow {
  const row = childOf(record, 'row')
  const evaluated = childOf(row, 'policy_evaluated')
  const identifiers = childOf(record, 'identifiers')
  const results = childOf(record, 'auth_results')
  const source = need(row, 'source_ip')
  const count = need(row, 'count')
  if (isIP(source) === 0 || source.includes('%')) fault('source_ip')
  if (!/^\d{1,10}$/.test(count)) fault('count')
  const disposition = textOf(evaluated, 'disposition')?.toLowerCase()
  // The aligned signature says most, and otherwise the first one.
  const signatures = childrenOf(results, 'dkim')
  const dkim = signatures.find((one) => textOf(one, 'result')?.toLowerCase() === 'pass') ?? signatures[0]
  const spf = childOf(results, 'spf')
  const overrides = childrenOf(evaluated, 'reason').flatMap((reason) => textOf(reason, 'type') ?? [])
  return {
    source_ip: source.toLowerCase(),
    count: Number(count),
    disposition: dispositions.find((one) => one === disposition) ?? 'none',
    dkim_aligned: textOf(evaluated, 'dkim')?.toLowerCase() === 'pass',
    spf_aligned: textOf(evaluated, 'spf')?.toLowerCase() === 'pass',
    header_from: orNull(textOf(identifiers, 'header_from')?.toLowerCase()),
    envelope_from: orNull(textOf(identifiers, 'envelope_from')?.toLowerCase()),
    override: overrides.length > 0 ? short(overrides.slice(0, 5).join(', ')) : null,
    spf_domain: orNull(textOf(spf, 'domain')?.toLowerCase()),
    spf_result: orNull(textOf(spf, 'result')?.toLowerCase()),
    dkim_domain: orNull(textOf(dkim, 'domain')?.toLowerCase()),
    dkim_selector: orNull(textOf(dkim, 'selector')),
    dkim_result: orNull(textOf(dkim, 'result')?.toLowerCase()),
  }
}

/** Adds the counts of rows with the same values. */
function merge(rows: readonly DmarcRow[]): DmarcRow[] {
  const merged = new Map<string, DmarcRow>()
  for (const { count, ...rest } of rows) {
    const key = JSON.stringify(rest)
    const known = merged.get(key)
    if (known) known.count += count
    else merged.set(key, { ...rest, count })
  }
  return [...merged.values()]
}
