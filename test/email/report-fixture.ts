import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { ZipFile } from 'yazl'

const yesterday = Math.floor(Date.now() / 86_400_000) * 86_400 - 86_400

export interface Row {
  ip?: string
  count?: number
  dkim?: 'pass' | 'fail'
  spf?: 'pass' | 'fail'
  disposition?: string
}

const rowOf = ({ ip = '192.0.2.10', count = 5, dkim = 'pass', spf = 'pass', disposition = 'none' }: Row) => `
  <record>
    <row><source_ip>${ip}</source_ip><count>${count}</count>
      <policy_evaluated><disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>
    <identifiers><header_from>sender.example</header_from><envelope_from>bounce.sender.example</envelope_from></identifiers>
    <auth_results>
      <dkim><domain>sender.example</domain><selector>m1</selector><result>${dkim}</result></dkim>
      <spf><domain>bounce.sender.example</domain><result>${spf}</result></spf>
    </auth_results>
  </record>`

export interface DmarcFacts {
  domain?: string
  id?: string
  reporter?: string
  begin?: number | string
  rows?: readonly Row[]
}

/** A report in the form of RFC 7489, appendix C. */
export const dmarcXml = ({
  domain = 'sender.example',
  id = 'report-1',
  reporter = 'mailbox.example',
  begin = yesterday,
  rows = [{}],
}: DmarcFacts = {}): string => `<?xml version="1.0" encoding="UTF-8" ?>
<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">
  <version>1.0</version>
  <report_metadata>
    <org_name>${reporter}</org_name><email>dmarc@${reporter}</email><report_id>${id}</report_id>
    <date_range><begin>${begin}</begin><end>${Number(begin) + 86_399}</end></date_range>
  </report_metadata>
  <policy_published><domain>${domain}</domain><adkim>r</adkim><aspf>r</aspf><p>none</p><sp>none</sp><pct>100</pct></policy_published>${rows.map(rowOf).join('')}
</feedback>
`

/** A report in the form of RFC 8460 §4.4. */
export const tlsJson = (more: object = {}, domain = 'sender.example') =>
  JSON.stringify({
    'organization-name': 'Mailbox Example',
    'date-range': {
      'start-datetime': new Date(yesterday * 1_000).toISOString(),
      'end-datetime': new Date((yesterday + 86_399) * 1_000).toISOString(),
    },
    'contact-info': 'tls@mailbox.example',
    'report-id': 'tls-1',
    policies: [
      {
        policy: {
          'policy-type': 'sts',
          'policy-string': ['version: STSv1', 'mode: testing', 'mx: mx.sender.example', 'max_age: 86400'],
          'policy-domain': domain,
          'mx-host': ['mx.sender.example'],
        },
        summary: { 'total-successful-session-count': 5326, 'total-failure-session-count': 303 },
        'failure-details': [
          {
            'result-type': 'certificate-expired',
            'sending-mta-ip': '2001:db8:abcd:12::1',
            'receiving-mx-hostname': 'mx1.sender.example',
            'failed-session-count': 100,
          },
        ],
      },
    ],
    ...more,
  })

export const gz = (text: string | Buffer): Buffer => gzipSync(text)

export async function zip(text: string | Buffer, name = 'report.xml'): Promise<Buffer> {
  const archive = new ZipFile()
  archive.addBuffer(Buffer.from(text), name)
  archive.end()
  return await buffer(archive.outputStream)
}

/** An email with a report, as mailbox providers send it. */
export const reportMail = (content: Buffer, type = 'application/gzip'): string => `From: dmarc@mailbox.example
To: reports@platform.example
Subject: Report Domain: sender.example
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/plain

A report.

--b
Content-Type: ${type}
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename="mailbox.example!sender.example!1!2"

${content.toString('base64').replace(/.{76}/g, '$&\n')}

--b--
`
