import type { FormState } from './form.ts'
import { type Content, type Html, html } from './html.ts'

export interface PickerGroup {
  title: string
  options: readonly (readonly [value: string, words: string, more?: Content])[]
}

interface Preset {
  name: string
  label: string
  hint: string
  values: readonly string[]
}

interface Picker {
  name: string
  label: string
  /** Noun of the options in plural: `scopes`. */
  noun: string
  hint?: Content
  groups: readonly PickerGroup[]
  /** Sets that the user chooses at the same time. `preset` is the name of the field. */
  presets?: readonly Preset[]
  otherwise?: readonly string[]
}

/** Value of the field `preset` if the user selects single options. */
export const noPreset = 'custom'

/**
 * Renders many check boxes in groups that open, with their counts. JavaScript adds a search and a button that selects a
 * group. Without JavaScript, a preset applies when the form is submitted.
 */
export function picker(filled: FormState, given: Picker): Html {
  const { name, label, noun, hint, groups, presets = [], otherwise = [] } = given
  const sent = Object.keys(filled.given).length > 0
  const ticked = new Set([filled.given[name] ?? (sent ? [] : otherwise)].flat())
  const fault = filled.faults[name]
  return html`<fieldset class="field picker" data-picker${fault && html` aria-describedby="${name}-fault"`}><legend>${label}</legend>
${hint && html`<p class="hint">${hint}</p>`}
${fault && html`<p class="fault" id="${name}-fault">${fault}</p>`}
${presets.length > 0 && presetChoice(presets, String(filled.given.preset ?? noPreset), noun)}
<div class="picker-tools scripted-only"><input type="search" aria-label="Search ${noun}" placeholder="Search ${noun}" autocomplete="off" spellcheck="false" data-search><p class="quiet" role="status" data-total></p><button type="button" class="plain" data-none>Clear</button></div>
<div class="picker-groups">${groups.map((group) => groupOf(group, name, ticked))}</div>
<p class="quiet" data-nothing hidden>No ${noun} match.</p></fieldset>`
}

const presetChoice = (presets: readonly Preset[], chosen: string, noun: string): Html =>
  html`<div class="presets" role="group" aria-label="Presets">${[
    ...presets,
    { name: noPreset, label: 'Custom', hint: `Select ${noun} below.`, values: [] },
  ].map(
    ({ name, label, hint, values }) =>
      html`<label class="preset"><input type="radio" name="preset" value="${name}" data-preset="${JSON.stringify(values)}"${name === chosen && html` checked`}> <span><b>${label}</b> <span class="quiet">${hint}</span></span></label>`,
  )}</div>`

function groupOf({ title, options }: PickerGroup, name: string, ticked: ReadonlySet<string>): Html {
  const count = options.filter(([value]) => ticked.has(value)).length
  return html`<details class="picker-group"${count > 0 && html` open`}><summary><span class="picker-title">${title}</span> <span class="count" data-count>${count > 0 ? `${count} of ${options.length}` : options.length}</span></summary>
${options.length > 1 && html`<button type="button" class="plain scripted-only" data-all>Select all<span class="unseen"> of ${title}</span></button>`}
<div class="boxes">${options.map(
    ([value, words, more]) =>
      html`<label><input type="checkbox" name="${name}" value="${value}"${ticked.has(value) && html` checked`}> <span>${words}${more && html` <span class="quiet">${more}</span>`}</span></label>`,
  )}</div></details>`
}
