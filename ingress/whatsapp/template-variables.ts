import type { Template } from '#sql/whatsapp/templates.ts'
import type { TemplateForm } from './template-form.ts'

export interface Variable {
  component: 'header' | 'body' | 'button'
  /** Number of a positional variable, starting at 1. For a button, its position, starting at 0. */
  index: number | null
  name: string | null
  type: 'text' | 'image' | 'video' | 'document' | 'location'
  example: string | null
}

type Component = Template['components'][number]

const media = { IMAGE: 'image', VIDEO: 'video', DOCUMENT: 'document', LOCATION: 'location' } as const

export function listTemplateVariables({ components }: Pick<Template, 'components'>): Variable[] {
  return components.flatMap((component): Variable[] => {
    switch (component.type.toUpperCase()) {
      case 'HEADER':
        return ofHeader(component)
      case 'BODY':
        return inText('body', component)
      case 'BUTTONS':
        return ofButtons(component)
      default:
        return []
    }
  })
}

function ofHeader(component: Component): Variable[] {
  const type = media[String(component.format) as keyof typeof media]
  if (!type) return inText('header', component)
  return [{ component: 'header', index: 1, name: null, type, example: null }]
}

export const variableNames = (text: string): string[] => [
  ...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name)),
]

function inText(component: 'header' | 'body', { text, example }: Component): Variable[] {
  return variableNames(String(text ?? '')).map((name, i) => {
    const isPosition = /^\d+$/.test(name)
    return {
      component,
      index: isPosition ? Number(name) : null,
      name: isPosition ? null : name,
      type: 'text',
      example: exampleOf(example, component, name, i),
    }
  })
}

function exampleOf(example: unknown, component: 'header' | 'body', name: string, i: number): string | null {
  const given = (example ?? {}) as Record<string, unknown>
  const named = given[`${component}_text_named_params`]
  if (Array.isArray(named)) {
    const found = named.find((one) => one?.param_name === name)
    return typeof found?.example === 'string' ? found.example : null
  }
  const listed = given[`${component}_text`]
  const values = Array.isArray(listed) && Array.isArray(listed[0]) ? listed[0] : listed
  const value = Array.isArray(values) ? values[i] : undefined
  return typeof value === 'string' ? value : null
}

function ofButtons({ buttons }: Component): Variable[] {
  if (!Array.isArray(buttons)) return []
  return buttons.flatMap((button, index): Variable[] => {
    if (button?.type !== 'URL' || !/\{\{\s*\w+\s*\}\}/.test(String(button.url))) return []
    const example = Array.isArray(button.example) ? button.example[0] : null
    return [
      { component: 'button', index, name: null, type: 'text', example: typeof example === 'string' ? example : null },
    ]
  })
}

export function findParameterMismatch(
  template: Pick<Template, 'components'>,
  { components = [] }: TemplateForm,
): string | undefined {
  const variables = listTemplateVariables(template)
  for (const part of ['header', 'body'] as const) {
    const wanted = variables.filter(({ component }) => component === part)
    const given = components.filter(({ type }) => type === part).flatMap(({ parameters }) => parameters)
    if (wanted.length !== given.length) return `the ${part} has ${wanted.length} variables, not ${given.length}`
    const names = wanted.flatMap(({ name }) => name ?? [])
    const missing = names.find((name) => !given.some((one) => 'parameter_name' in one && one.parameter_name === name))
    if (missing !== undefined) return `the ${part} has a variable ${missing}, whose \`parameter_name\` is missing`
  }
  const buttons = variables.filter(({ component }) => component === 'button')
  const open = buttons.find(({ index }) => !components.some((one) => one.type === 'button' && one.index === index))
  return open && `button ${open.index} has a variable`
}
