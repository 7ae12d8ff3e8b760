import { z } from 'zod'
import type { Preset } from '#sql/files/images/presets.ts'
import { fits, formats, positions } from '#tasks/files/rules/images/recipe.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { checkBoxes, type FormState, optionalField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { tokenField } from '../../http/html/parts.ts'

const OptionalNumber = optionalField(z.coerce.number({ error: 'must be a number' }))

export const presetFields = z.object({
  width: OptionalNumber,
  height: OptionalNumber,
  fit: z.string(),
  position: z.string(),
  background: optionalField(z.string().trim()),
  format: z.string(),
  quality: OptionalNumber,
  options: z.preprocess((value) => (value === undefined ? [] : [value].flat()), z.array(z.string())),
})

export const newPresetFields = presetFields.extend({ name: z.string().trim() })

/** Returns the body of the operation. The operation checks the values. */
export const toBody = ({ options, width, height, background, quality, ...given }: z.output<typeof presetFields>) => ({
  width: width ?? null,
  height: height ?? null,
  fit: given.fit,
  position: given.position,
  background: background?.replace(/^#/, '') ?? null,
  format: given.format,
  quality: quality ?? null,
  enlarge: options.includes('enlarge'),
  animated: options.includes('animated'),
})

const fitWords: Readonly<Record<(typeof fits)[number], string>> = {
  inside: 'inside: the whole image, not larger than the box',
  cover: 'cover: fills the box, and is cropped',
  contain: 'contain: the whole image, with bars',
  outside: 'outside: at least as large as the box',
  fill: 'fill: stretched to the box',
}

export function presetForm(
  member: Member,
  filled: FormState,
  { now, words, isNew }: { now?: Preset; words: string; isNew: boolean },
): Html {
  const text = (value: number | string | null | undefined) => String(value ?? '')
  const ticked = now
    ? [now.enlarge && 'enlarge', now.animated && 'animated'].filter((one) => one !== false)
    : ['animated']
  return html`<form class="form" method="post">${tokenField(member)}
${isNew && textField(filled, { name: 'name', label: 'Name', required: true, hint: 'For example, card. URLs of images contain it.' })}
${textField(filled, { name: 'width', label: 'Width', type: 'number', otherwise: text(now?.width), hint: 'Optional. CSS pixels, 1 to 4,096.' })}
${textField(filled, { name: 'height', label: 'Height', type: 'number', otherwise: text(now?.height), hint: 'Optional. CSS pixels, 1 to 4,096.' })}
${selectField(filled, { name: 'fit', label: 'Fit', options: fits.map((fit) => [fit, fitWords[fit]] as const), otherwise: text(now?.fit ?? 'cover') })}
${selectField(filled, { name: 'position', label: 'Position', options: positions.map((one) => [one, one] as const), otherwise: text(now?.position ?? 'centre'), hint: 'Part of the image that cover keeps.' })}
${selectField(filled, { name: 'format', label: 'Format', options: formats.map((one) => [one, one === 'auto' ? 'auto: the best format of the browser' : one] as const), otherwise: text(now?.format ?? 'auto') })}
${textField(filled, { name: 'quality', label: 'Quality', type: 'number', otherwise: text(now?.quality), hint: 'Optional. 1 to 100.' })}
${textField(filled, { name: 'background', label: 'Background', otherwise: text(now?.background), hint: 'Optional. For example, ffffff.' })}
${checkBoxes(filled, {
  name: 'options',
  label: 'Options',
  options: [
    ['enlarge', 'Enlarge small images'],
    ['animated', 'Keep animations'],
  ],
  otherwise: ticked,
})}
<p class="actions"><button>${words}</button></p></form>`
}
