import { z } from 'zod'
import { Document, ImageOrVideo, text } from './fields.ts'

/** Schema of a variable's value. Meta rejects line breaks, tabs and more than four spaces in a row (132000). */
const Value = text(1_024).refine((given) => !/[\n\r\t]| {5}/.test(given), {
  error: 'must not contain line breaks, tabs or more than four spaces in a row',
})

const parameter_name = z
  .string()
  .regex(/^[a-z0-9_]{1,100}$/, 'must be the name of a variable')
  .optional()

const Parameter = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: Value, parameter_name }),
  z.strictObject({
    type: z.literal('currency'),
    currency: z.strictObject({
      fallback_value: Value,
      code: z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 currency code'),
      amount_1000: z.int(),
    }),
    parameter_name,
  }),
  z.strictObject({
    type: z.literal('date_time'),
    date_time: z.strictObject({ fallback_value: Value }),
    parameter_name,
  }),
  z.strictObject({ type: z.literal('image'), image: ImageOrVideo }),
  z.strictObject({ type: z.literal('video'), video: ImageOrVideo }),
  z.strictObject({ type: z.literal('document'), document: Document }),
  z.strictObject({ type: z.literal('payload'), payload: text(256) }),
  z.strictObject({ type: z.literal('coupon_code'), coupon_code: text(20) }),
])

const Component = z
  .strictObject({
    type: z.enum(['header', 'body', 'button']),
    sub_type: z.enum(['url', 'quick_reply', 'copy_code']).optional().describe('Type of a button'),
    index: z.int().min(0).max(9).optional().describe('Position of a button, starting at 0'),
    parameters: z.array(Parameter).min(1).max(100),
  })
  .refine(({ type, sub_type, index }) => (type === 'button') === (sub_type !== undefined && index !== undefined), {
    error: 'must have both `sub_type` and `index` if it is a button, otherwise neither',
  })

export const TemplateForm = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'must be the name of a template: a–z, 0–9 and _'),
    language: z.strictObject({
      code: z.string().regex(/^[a-z]{2,3}(_[A-Z]{2,3})?$/, 'must be a WhatsApp language code: en or en_US'),
    }),
    components: z.array(Component).max(13).optional(),
  })
  .meta({ id: 'whatsapp.TemplateForm' })

export type TemplateForm = z.infer<typeof TemplateForm>
