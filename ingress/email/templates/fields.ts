import { z } from 'zod'
import { findPlaceholderFault, listPlaceholders } from '#lib/placeholders.ts'
import { Template } from '#sql/email/templates.ts'
import { aliasForm, isTemplateId } from '#tasks/email/rules/templates/names.ts'
import { line, Part, Subject } from '../fields.ts'

const maxVariables = 200

/** Maximum size of the test data as JSON in bytes. */
const maxTestData = 64 * 1024

/** Returns what is wrong with a part of the syntax `placeholders`. Braces that are not placeholders would be sent. */
export function findPartFault(text: string): string | undefined {
  const fault = findPlaceholderFault(text, '{{name}} and {{order.number}}')
  if (fault !== undefined) return fault
  return listPlaceholders(text).length > maxVariables ? `must have at most ${maxVariables} variables` : undefined
}

export const Alias = z
  .string()
  .regex(aliasForm, 'must start with a letter a–z, and contain up to 100 of a–z, 0–9, `.`, `_` and `-`')
  .refine((alias) => !isTemplateId(alias), { error: 'must not have the form of an ID' })

export const { kind: Kind, syntax: Syntax } = Template.shape

const TestData = z.record(z.string(), z.unknown()).check(({ value, issues }) => {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes <= maxTestData) return
  issues.push({
    code: 'custom',
    message: `must be at most ${maxTestData} bytes as JSON, but is ${bytes}`,
    input: value,
  })
})

/** Content that versions keep and that drafts change. */
export const contentFields = {
  name: line(200).min(1),
  subject: Subject.optional().describe('Subject. Required for the kind `email`, and not possible for other kinds.'),
  html: Part.optional().describe('HTML. Required, unless `mjml` is set.'),
  mjml: Part.optional().describe('MJML that is converted to HTML. Use it instead of `html`.'),
  text: Part.nullable().optional().describe('Plain text. Default: created from the HTML.'),
  syntax: Syntax.optional().describe(
    '`placeholders` (default): `{{name}}` without logic. `liquid`: conditions, loops, filters, partials and layouts.',
  ),
}

export const templateFields = {
  ...contentFields,
  alias: Alias.nullable()
    .optional()
    .describe('Name for calls and other templates, unique in the organisation. Required for partials and layouts.'),
  test_data: TestData.nullable()
    .optional()
    .describe('Example variables for previews and tests, up to 64 KiB. Messages do not use them.'),
}

type Content = { [Field in keyof typeof contentFields]?: z.output<(typeof contentFields)[Field]> | undefined }

/** Runs even if other checks fail, so that one response contains all faults. */
const when = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null

/** Checks that need no other state: placeholders, and HTML or MJML. */
export const withContentChecks = <T extends z.ZodType<Content>>(body: T, usual?: Content['syntax']): T =>
  body
    .refine(({ html, mjml }) => html === undefined || mjml === undefined, {
      path: ['mjml'],
      error: 'cannot be combined with html',
      when,
    })
    .check(
      z.superRefine(({ syntax = usual, ...given }: Content, { addIssue }) => {
        if (syntax !== 'placeholders') return
        for (const part of ['subject', 'html', 'mjml', 'text'] as const) {
          const text = given[part]
          const fault = typeof text === 'string' ? findPartFault(text) : undefined
          if (fault !== undefined) addIssue({ code: 'custom', message: fault, path: [part] })
        }
      }),
    ) as T
