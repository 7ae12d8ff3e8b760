import { stringify } from 'yaml'

/** Template lines of a block that starts at an indentation. */
type Block = (indent: number) => readonly string[]

const expressions: string[] = []
const blocks: Block[] = []

/** Returns a text that becomes a template expression in the YAML, such as `{{ .Values.secretName }}`. */
export const expression = (code: string): string => `EXPRESSION${expressions.push(`{{ ${code} }}`) - 1}Z`

/** Returns a number of the values. Helm reads numbers as floats. */
export const whole = (value: string) => expression(`int ${value}`)

/** Returns a JSON text of a value. JSON is also YAML, so the indentation does not matter. */
export const expressionYaml = (value: string) => expression(`toJson ${value}`)

/** Returns a field that becomes template lines in the YAML: spread it into an object, or use its name in a list. */
export const block = (lines: Block): Record<string, null> => ({ [blockName(lines)]: null })

/** Returns an entry of a list that becomes template lines. */
export const entry = (lines: Block): string => blockName(lines)

const blockName = (lines: Block): string => `BLOCK${blocks.push(lines) - 1}Z`

/** Returns a block that writes a value of the chart below a name if the value is set. */
export const optional = (name: string, value: string): Record<string, null> =>
  block((indent) => [
    `{{- with ${value} }}`,
    `${' '.repeat(indent)}${name}: {{- toYaml . | nindent ${indent + 2} }}`,
    '{{- end }}',
  ])

/** Returns the template of an object with its placeholders replaced. */
export function template(object: object): string {
  const yaml = stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })
  return yaml
    .split('\n')
    .flatMap((line) => {
      const [, space = '', dash = '', number] = /^( *)(- )?BLOCK(\d+)Z(?:: null)?$/.exec(line) ?? []
      if (number === undefined) return [line]
      // An entry of a list has no lines before it that could carry its dash.
      const lines = blocks[Number(number)]?.(space.length)
      if (!lines) throw new Error(`No block ${number} ${dash}`)
      return lines
    })
    .join('\n')
    .replaceAll(/EXPRESSION(\d+)Z/g, (_, number: string) => expressions[Number(number)] ?? '')
}
