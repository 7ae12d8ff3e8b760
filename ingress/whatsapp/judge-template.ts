import type { NewComponent, NewTemplate } from './template-parts.ts'
import { variableNames } from './template-variables.ts'

/** An invalid part of a template, with its path below `components` and the issue. */
interface ComponentFault {
  path: (string | number)[]
  issue: string
}

type Of<Type extends NewComponent['type']> = Extract<NewComponent, { type: Type }>

const mostOfType: Readonly<Record<string, number>> = { URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1, OTP: 1 }

/** Returns faults for which Meta would reject the template, although each part is valid on its own. */
export function findTemplateFaults({ category, parameter_format, components }: NewTemplate): ComponentFault[] {
  const types = components.map(({ type }) => type)
  const isCode = category === 'AUTHENTICATION'
  const isNamed = parameter_format === 'NAMED'
  const ofParts = components.flatMap((one, i): ComponentFault[] => {
    const faults = [
      ...(types.indexOf(one.type) === i ? [] : [fault(`must not be a second ${one.type}`)]),
      ...partFaults(one, { isCode, isNamed }),
    ]
    return faults.map(({ path, issue }) => ({ path: [i, ...path], issue }))
  })
  const missing = [
    ...(types.length === 0 || types.includes('BODY') ? [] : [fault('must have a BODY')]),
    ...(types.length > 0 && isCode && !types.includes('BUTTONS')
      ? [fault('must have BUTTONS with an OTP for AUTHENTICATION')]
      : []),
  ]
  return [...ofParts, ...missing]
}

const fault = (issue: string, ...path: (string | number)[]): ComponentFault => ({ path, issue })

interface Kind {
  isCode: boolean
  isNamed: boolean
}

function partFaults(part: NewComponent, { isCode, isNamed }: Kind): ComponentFault[] {
  if (part.type === 'BODY') return isCode ? codeBody(part) : bodyFaults(part, isNamed)
  if (part.type === 'FOOTER') return footerFaults(part, isCode)
  if (part.type === 'BUTTONS') return buttonFaults(part, isCode)
  if (isCode) return [fault('cannot be used with AUTHENTICATION')]
  return part.format === 'TEXT' ? headerFaults(part, isNamed) : []
}

const codeBody = ({ text, example }: Of<'BODY'>) => [
  ...(text === undefined ? [] : [fault('cannot be set for AUTHENTICATION: WhatsApp writes this text', 'text')]),
  ...(example === undefined ? [] : [fault('cannot be set for AUTHENTICATION: WhatsApp writes this text', 'example')]),
]

function bodyFaults({ text, example, add_security_recommendation }: Of<'BODY'>, isNamed: boolean): ComponentFault[] {
  if (text === undefined) return [fault('is required', 'text')]
  const edge = text.trim()
  const given = { listed: example?.body_text?.[0], named: example?.body_text_named_params }
  return [
    ...(edge.startsWith('{{') || edge.endsWith('}}') ? [fault('must not start or end with a variable', 'text')] : []),
    ...(add_security_recommendation === undefined
      ? []
      : [fault('can only be used with AUTHENTICATION', 'add_security_recommendation')]),
    ...variableFaults(text, given, isNamed, ['body_text', 'body_text_named_params']),
  ]
}

function headerFaults(part: Of<'HEADER'>, isNamed: boolean): ComponentFault[] {
  if (part.format !== 'TEXT') return []
  const { text, example } = part
  const given = { listed: example?.header_text, named: example?.header_text_named_params }
  return [
    ...(variableNames(text).length > 1 ? [fault('must have at most one variable', 'text')] : []),
    ...variableFaults(text, given, isNamed, ['header_text', 'header_text_named_params']),
  ]
}

interface Examples {
  listed: readonly string[] | undefined
  named: readonly { param_name: string }[] | undefined
}

/**
 * Returns the faults in the variables of a text. Variables must be numbered from 1 or named, and each needs an example.
 */
function variableFaults(
  text: string,
  { listed, named }: Examples,
  isNamed: boolean,
  [listField, namedField]: [string, string],
): ComponentFault[] {
  const names = variableNames(text)
  if (isNamed) {
    const wrong = names.find((name) => /^\d/.test(name) || name !== name.toLowerCase())
    const lacking = names.find((name) => !named?.some(({ param_name }) => param_name === name))
    return [
      ...(wrong === undefined ? [] : [fault(`must have names of a–z, 0–9 and _, but has {{${wrong}}}`, 'text')]),
      ...(listed ? [fault('cannot be used with NAMED', 'example', listField)] : []),
      ...(lacking === undefined ? [] : [fault(`must have an example of ${lacking}`, 'example', namedField)]),
    ]
  }
  const wrong = names.find((name, i) => name !== String(i + 1))
  const count = listed?.length ?? 0
  return [
    ...(wrong === undefined
      ? []
      : [fault(`must have {{${names.indexOf(wrong) + 1}}} instead of {{${wrong}}}`, 'text')]),
    ...(named ? [fault('cannot be used with POSITIONAL', 'example', namedField)] : []),
    ...(count === names.length
      ? []
      : [fault(`must have ${names.length} examples, not ${count}`, 'example', listField)]),
  ]
}

function footerFaults({ text, code_expiration_minutes }: Of<'FOOTER'>, isCode: boolean): ComponentFault[] {
  if (isCode)
    return text === undefined ? [] : [fault('cannot be set for AUTHENTICATION: WhatsApp writes this text', 'text')]
  return [
    ...(text === undefined ? [fault('is required', 'text')] : []),
    ...(text?.includes('{{') ? [fault('must have no variables', 'text')] : []),
    ...(code_expiration_minutes === undefined
      ? []
      : [fault('can only be used with AUTHENTICATION', 'code_expiration_minutes')]),
  ]
}

function buttonFaults({ buttons }: Of<'BUTTONS'>, isCode: boolean): ComponentFault[] {
  return buttons.flatMap((button, i): ComponentFault[] => {
    const most = mostOfType[button.type]
    const before = buttons.slice(0, i).filter(({ type }) => type === button.type).length
    const hasVariable = button.type === 'URL' && button.url.endsWith('{{1}}')
    return [
      ...(most !== undefined && before >= most
        ? [fault(`must not exceed the maximum number of ${button.type} buttons`, 'buttons', i)]
        : []),
      ...((button.type === 'OTP') === isCode
        ? []
        : [
            fault(
              isCode ? 'must be an OTP for AUTHENTICATION' : 'can only be used with AUTHENTICATION',
              'buttons',
              i,
              'type',
            ),
          ]),
      ...(hasVariable && button.example === undefined ? [fault('is required for {{1}}', 'buttons', i, 'example')] : []),
    ]
  })
}
