import { type Content, type Html, html } from '../../http/console/html.ts'
import { type Filled, field, textOf } from '../../http/dashboard/form.ts'

/** A labelled field of several lines. */
export function linesField(
  filled: Filled,
  given: { name: string; label: string; hint?: Content; otherwise?: string; required?: boolean },
): Html {
  const { name, otherwise, required = false } = given
  const control = (described: Html) =>
    html`<textarea id="${name}" name="${name}" spellcheck="false"${required && html` required`}${described}>${textOf(filled, name, otherwise)}</textarea>`
  return field(filled, { ...given, control })
}

/** Words between commas, each once. */
export const wordsOf = (text: string): string[] => [...new Set(text.split(',').flatMap((word) => word.trim() || []))]
