import type { FormState } from '../../http/html/form.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'

/**
 * Renders a field for a small secret file. The browser reads the chosen file into the text area. A submitted secret is
 * never rendered again.
 */
export function secretFileField(
  { faults }: Pick<FormState, 'faults'>,
  { name, label, accept, hint }: { name: string; label: string; accept: string; hint: Content },
): Html {
  const fault = faults[name]
  const described = html` aria-describedby="${name}-hint${fault && ` ${name}-fault`}"${fault && html` aria-invalid="true"`}`
  return html`<div class="field"><label for="${name}-file">${label}</label>
<input type="file" id="${name}-file" data-text-of="${name}" accept="${accept}"${described}>
<p class="hint" id="${name}-hint">${hint}</p>
${fault && html`<p class="fault" id="${name}-fault">${fault}</p>`}
<p class="hint" role="status" data-file-read="${name}"></p>
<details open data-paste><summary>Paste the content instead</summary>
<textarea class="few" id="${name}" name="${name}" aria-label="Content of the file" spellcheck="false" autocomplete="off"></textarea></details></div>`
}
