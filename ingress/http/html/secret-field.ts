import { type FormState, field } from './form.ts'
import { type Content, type Html, html } from './html.ts'

/** Renders a field for a secret. The submitted value is never rendered again. */
export const secretField = (
  filled: FormState,
  given: { name: string; label: string; hint?: Content; required?: boolean },
): Html =>
  field(filled, {
    ...given,
    control: (described) =>
      html`<input id="${given.name}" name="${given.name}" type="password" autocomplete="off"${given.required && html` required`}${described}>`,
  })
