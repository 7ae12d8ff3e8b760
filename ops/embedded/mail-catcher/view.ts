import {
  type AddressObject,
  type Attachment,
  type ParsedMail,
  type SimpleParserOptions,
  simpleParser,
} from 'mailparser'
import type { Authentication } from './authentication.ts'
import type { CaughtMessage, Store } from './store.ts'

/** How messages are parsed: text is shown as it is. */
export const parsing = {
  skipTextToHtml: true,
  skipHtmlToText: true,
  checksumAlgo: false,
} satisfies SimpleParserOptions

/** A message as it is shown. */
export interface View extends CaughtMessage {
  headers: { name: string; value: string }[]
  text: string | null
  html: string | null
  attachments: Attachment[]
}

/** Parses a message of the store. */
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

/** A message for programs. */
export const asJson = (shown: View, authentication: Authentication) => ({
  ...shown,
  attachments: shown.attachments.map(({ content: _, ...attachment }, number) => ({ number, ...factsOf(attachment) })),
  authentication,
})

/** What is told of an attachment besides its bytes. */
export const factsOf = ({ filename, contentType, size, cid, related }: Omit<Attachment, 'content'>) => ({
  filename: filename ?? 'unnamed',
  content_type: contentType,
  bytes: size ?? 0,
  content_id: cid ?? null,
  inline: related ?? false,
})

/** The addresses of a header, as one text. */
export const addressesOf = (field: AddressObject | AddressObject[] | undefined): string =>
  [field ?? []]
    .flat()
    .map(({ text }) => text)
    .join(', ')
