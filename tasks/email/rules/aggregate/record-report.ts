import { getDomain } from 'tldts'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as dmarc from '#sql/email/dmarc.ts'
import type { EmailDomain } from '#sql/email/domains.ts'
import * as tls from '#sql/email/tls-reports.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { ownAddresses } from '../ip-addresses.ts'
import { type AggregateReport, type DmarcReport, type DmarcRow, ReportFaultError, type TlsReport } from './report.ts'

export type ReportedDomain = Pick<EmailDomain, 'id' | 'org_id' | 'domain'>

const organisationOf = (domain: string): string => getDomain(domain, { allowPrivateDomains: true }) ?? domain

/** True if a report about `reported` concerns the domain. DMARC policies also apply to subdomains. */
const concerns = (reported: string, { domain }: ReportedDomain): boolean =>
  organisationOf(reported) === organisationOf(domain)

/** Stores a report once. Returns false if it was already stored. Throws `ReportFaultError` for another domain’s. */
export async function recordReport(
  tx: Db,
  domain: ReportedDomain,
  sender: string,
  report: AggregateReport,
): Promise<boolean> {
  const about = { id: newId(), org_id: domain.org_id, domain_id: domain.id, sender }
  const reported = report.kind === 'dmarc' ? [report.policy_domain] : report.policies.map((policy) => policy.domain)
  if (!reported.every((name) => concerns(name, domain)))
    throw new ReportFaultError('The report is about a different domain')
  return report.kind === 'dmarc' ? await recordDmarc(tx, domain, about, report) : await recordTls(tx, about, report)
}

type About = Pick<dmarc.DmarcReportRow, 'id' | 'org_id' | 'domain_id' | 'sender'>

const isAligned = ({ dkim_aligned, spf_aligned }: DmarcRow): boolean => dkim_aligned || spf_aligned

const total = (rows: readonly { count: number }[]): number => rows.reduce((sum, { count }) => sum + count, 0)

async function recordDmarc(tx: Db, domain: ReportedDomain, about: About, report: DmarcReport): Promise<boolean> {
  const { kind: _, rows, ...facts } = report
  const isNew = await dmarc.insert(
    tx,
    {
      ...about,
      ...facts,
      messages: total(rows),
      aligned: total(rows.filter(isAligned)),
      sources: new Set(rows.map(({ source_ip }) => source_ip)).size,
    },
    rows.map((row) => ({
      ...row,
      id: newId(),
      org_id: about.org_id,
      domain_id: about.domain_id,
      report_id: about.id,
      day: report.begins_at.slice(0, 10),
    })),
  )
  if (isNew) await warn(tx, domain, about.id, report)
  return isNew
}

async function recordTls(tx: Db, about: About, report: TlsReport): Promise<boolean> {
  const { kind: _, ...facts } = report
  const sum = (name: 'successes' | 'failures') => report.policies.reduce((all, policy) => all + policy[name], 0)
  return await tls.insert(tx, { ...about, ...facts, successes: sum('successes'), failures: sum('failures') })
}

/** Share of unaligned messages of a known source from which a warning is sent, and smallest number of its messages. */
const warnFrom = { share: 0.1, messages: 10 }

const mostSources = 20

/** Sends an event if known sources fail. A source is known if its messages were aligned before, or if it is our own. */
async function warn(tx: Db, domain: ReportedDomain, id: string, { rows, reporter }: DmarcReport): Promise<void> {
  const failing = [...Map.groupBy(rows, ({ source_ip }) => source_ip)].flatMap(([source_ip, all]) => {
    const messages = total(all)
    const unaligned = messages - total(all.filter(isAligned))
    const fails = messages >= warnFrom.messages && unaligned / messages >= warnFrom.share
    return fails ? [{ source_ip, messages, unaligned }] : []
  })
  if (failing.length === 0) return
  const known = await dmarc.listKnownSources(
    tx,
    domain.id,
    id,
    failing.map(({ source_ip }) => source_ip),
  )
  const own = ownAddresses()
  const sources = failing.filter(({ source_ip }) => known.has(source_ip) || own.includes(source_ip))
  if (sources.length === 0 || !(await dmarc.takeWarning(tx, domain.id))) return
  sources.sort((a, b) => b.unaligned - a.unaligned)
  const data = { id: domain.id, domain: domain.domain, report_id: id, reporter, sources: sources.slice(0, mostSources) }
  await emit(tx, domain.org_id, 'email.domain.dmarc_failing', data)
}
