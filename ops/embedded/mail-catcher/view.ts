import {
  type AddressObject,
  type Attachment,
  type ParsedMail,
  type SimpleParserOptions,
  simpleParser,
} from 'mailparser'
import type { Authentication } from './authentication.ts'
import type { CaughtMessage, Store } from './store.ts'

/** Options for parsing messages. Text is shown unchanged. */
export const parsing = {
  skipTextToHtml: true,
  skipHtmlToText: true,
  checksumAlgo: false,
} satisfies SimpleParserOptions

export interface View extends CaughtMessage {
  headers: { name: string; value: string }[]
  text: string | null
  html: string | null
  attachments: Attachment[]
}

export async function view(store: Store, caught: CaughtMessage): Promise<View> {
  const mail: ParsedMail = await simpleParser(await store.source(caught.id), { ...parsing, keepDeliveryStatus: true })
  return {
    ...caught,
    headers: mail.headerLines.map(({ line }) => {
      const colon = line.indexOf(':')
      return { name: line.slice(0, colon), value: line.slice(colon + 1).trim() }
    }),
    text: mail.text ?? null,
    html: mail.html || null,
    attachments: mail.attachments,
  }
}

export const asJson = (shown: View, authentication: Authentication) => ({
  ...shown,
  attachments: shown.attachments.map(({ content: _, ...attachment }, number) => ({ number, ...factsOf(attachment) })),
  authentication,
})

export const factsOf = ({ filename, contentType, size, cid, related }: Omit<Attachment, 'content'>) => ({
  filename: filename ?? 'unnamed',
  content_type: contentType,
  bytes: size ?? 0,
  content_id: cid ?? null,
  inline: related ?? false,
})

export const addressesOf = (field: AddressObject | AddressObject[] | undefined): string =>
  [field ?? []]
    .flat()
    .map(({ text }) => text)
    .join(', ')
