import type { Attachment } from 'mailparser'
import { loadLater } from '#lib/load-later.ts'
import { readDmarc } from './dmarc.ts'
import { type AggregateReport, ReportFaultError } from './report.ts'
import { readTls } from './tls.ts'
import { unpack } from './unpack.ts'

const library = loadLater('mailparser', () => import('mailparser'))

/** Maximum number of attachments that are tried. */
const most = 5

/** Returns the report in an email, or the reason why there is none. Runs in a thread, because anyone can send one. */
export async function readAggregate(message: Uint8Array): Promise<AggregateReport | { fault: string }> {
  const { simpleParser } = await library()
  const mail = await simpleParser(Buffer.from(message.buffer, message.byteOffset, message.length), {
    ignoreEmbedded: true,
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
    checksumAlgo: false,
    maxHeadSize: 256 * 1024,
    maxChildNodes: 50,
  })
  let fault = 'The message has no report as an attachment'
  for (const attachment of mail.attachments.slice(0, most)) {
    const found = readOne(attachment)
    if (!('fault' in found)) return found
    fault = found.fault
  }
  return { fault }
}

function readOne({ content }: Attachment): AggregateReport | { fault: string } {
  try {
    const text = unpackText(content)
    const start = text.slice(0, 100).trimStart()
    if (start.startsWith('{')) return readTls(text)
    if (start.startsWith('<')) return readDmarc(text)
    return { fault: 'The attachment is neither XML nor JSON' }
  } catch (error) {
    if (error instanceof ReportFaultError) return { fault: error.message }
    throw error
  }
}

function unpackText(content: Buffer): string {
  try {
    return new TextDecoder().decode(unpack(content))
  } catch {
    throw new ReportFaultError('The attachment cannot be unpacked, or is too large')
  }
}
