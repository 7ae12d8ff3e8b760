import { z } from 'zod'
import { Document, ImageOrVideo, text } from './fields.ts'

const textHeader = z.strictObject({ type: z.literal('text'), text: text(60) })

const Header = z.discriminatedUnion('type', [
  textHeader,
  z.strictObject({ type: z.literal('image'), image: ImageOrVideo }),
  z.strictObject({ type: z.literal('video'), video: ImageOrVideo }),
  z.strictObject({ type: z.literal('document'), document: Document }),
])

const footer = z.strictObject({ text: text(60) }).optional()

function twice(names: readonly string[], what: string): string | undefined {
  const repeated = names.find((name, i) => names.indexOf(name) !== i)
  return repeated === undefined ? undefined : `must not contain the ${what} ${repeated} twice`
}

const reply = z.strictObject({ id: text(256), title: text(20) })

const Buttons = z
  .array(z.strictObject({ type: z.literal('reply'), reply }))
  .min(1)
  .max(3)
  .superRefine((buttons, { addIssue }) => {
    for (const what of ['id', 'title'] as const) {
      const fault = twice(
        buttons.map((one) => one.reply[what]),
        what,
      )
      if (fault) addIssue({ code: 'custom', message: fault })
    }
  })

const row = z.strictObject({ id: text(200), title: text(24), description: text(72).optional() })

const mostRows = 10

const Sections = z
  .array(z.strictObject({ title: text(24).optional(), rows: z.array(row).min(1).max(mostRows) }))
  .min(1)
  .max(mostRows)
  .superRefine((sections, { addIssue }) => {
    const rows = sections.flatMap((section) => section.rows)
    if (rows.length > mostRows)
      addIssue({ code: 'custom', message: `must have at most ${mostRows} rows in total, but has ${rows.length}` })
    const fault = twice(
      rows.map(({ id }) => id),
      'row id',
    )
    if (fault) addIssue({ code: 'custom', message: fault })
    if (sections.length === 1) return
    for (const [i, { title }] of sections.entries()) {
      if (title === undefined)
        addIssue({ code: 'custom', path: [i, 'title'], message: 'is required if there are several sections' })
    }
  })

export const Interactive = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('button'),
    header: Header.optional(),
    body: z.strictObject({ text: text(1_024) }),
    footer,
    action: z.strictObject({ buttons: Buttons }),
  }),
  z.strictObject({
    type: z.literal('list'),
    header: textHeader.optional(),
    body: z.strictObject({ text: text(4_096) }),
    footer,
    action: z.strictObject({ button: text(20), sections: Sections }),
  }),
  z.strictObject({
    type: z.literal('cta_url'),
    header: Header.optional(),
    body: z.strictObject({ text: text(1_024) }),
    footer,
    action: z.strictObject({
      name: z.literal('cta_url'),
      parameters: z.strictObject({ display_text: text(20), url: z.url({ protocol: /^https?$/ }).max(2_048) }),
    }),
  }),
])
