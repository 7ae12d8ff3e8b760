import { z } from 'zod'
import { text } from './fields.ts'

const Example = z.string().min(1).max(1_024)

const named = z
  .array(
    z.strictObject({
      param_name: z.string().regex(/^[a-z0-9_]{1,100}$/, 'must be the name of a variable'),
      example: Example,
    }),
  )
  .min(1)
  .max(100)

const Header = z.discriminatedUnion('format', [
  z.strictObject({
    type: z.literal('HEADER'),
    format: z.literal('TEXT'),
    text: text(60),
    example: z
      .strictObject({ header_text: z.array(Example).length(1).optional(), header_text_named_params: named.optional() })
      .optional(),
  }),
  z.strictObject({
    type: z.literal('HEADER'),
    format: z.enum(['IMAGE', 'VIDEO', 'DOCUMENT']),
    example: z.strictObject({
      header_handle: z.array(z.string().min(1).max(2_000)).length(1).describe('Handle of Meta’s resumable upload'),
    }),
  }),
  z.strictObject({ type: z.literal('HEADER'), format: z.literal('LOCATION') }),
])

const Body = z.strictObject({
  type: z.literal('BODY'),
  text: text(1_024).optional(),
  example: z
    .strictObject({
      body_text: z.array(z.array(Example).min(1).max(100)).length(1).optional(),
      body_text_named_params: named.optional(),
    })
    .optional(),
  add_security_recommendation: z.boolean().optional().describe('Only for `AUTHENTICATION`, where Meta writes the text'),
})

const Footer = z.strictObject({
  type: z.literal('FOOTER'),
  text: text(60).optional(),
  code_expiration_minutes: z.int().min(1).max(90).optional().describe('Only for `AUTHENTICATION`'),
})

const label = text(25)

const Button = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('QUICK_REPLY'), text: label }),
  z.strictObject({
    type: z.literal('URL'),
    text: label,
    url: z
      .string()
      .min(1)
      .max(2_000)
      .refine(isWebAddress, 'must be an http:// or https:// URL. {{1}} can only be at its end'),
    example: z.array(Example).length(1).optional(),
  }),
  z.strictObject({
    type: z.literal('PHONE_NUMBER'),
    text: label,
    phone_number: z.string().regex(/^\+?[1-9]\d{4,18}$/, 'must be a phone number: digits, at most 20 characters'),
  }),
  z.strictObject({ type: z.literal('COPY_CODE'), example: z.string().min(1).max(15) }),
  z.strictObject({ type: z.literal('OTP'), otp_type: z.literal('COPY_CODE'), text: label.optional() }),
])

function isWebAddress(url: string): boolean {
  const isVariable = url.endsWith('{{1}}')
  const parsed = URL.parse(isVariable ? `${url.slice(0, -5)}1` : url)
  return (
    (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') &&
    !(isVariable ? url.slice(0, -5) : url).includes('{{')
  )
}

const Buttons = z.strictObject({ type: z.literal('BUTTONS'), buttons: z.array(Button).min(1).max(10) })

export type NewComponent = z.infer<typeof Header | typeof Body | typeof Footer | typeof Buttons>

export const TemplateParts = z.strictObject({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'must be the name of a template: a–z, 0–9 and _'),
  language: z.string().regex(/^[a-z]{2,3}(_[A-Z]{2,3})?$/, 'must be a WhatsApp language code: en or en_US'),
  category: z.enum(['MARKETING', 'UTILITY', 'AUTHENTICATION']),
  parameter_format: z.enum(['POSITIONAL', 'NAMED']).default('POSITIONAL'),
  components: z
    .array(z.discriminatedUnion('type', [Header, Body, Footer, Buttons]))
    .min(1)
    .max(4),
})

export type NewTemplate = z.output<typeof TemplateParts>
