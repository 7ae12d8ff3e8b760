import type { Schema } from '../../support/extremes.ts'

type Resolve = (schema: Schema) => Schema

/** A schema as the document shows it, with what samples also need. */
interface Full extends Schema {
  additionalProperties?: Schema | boolean
  propertyNames?: Schema
  exclusiveMinimum?: number
}

let made = 0

/** Text that no other sample has. */
export const uniqueText = (): string => `v${(++made).toString().padStart(5, '0')}`

/** Values of texts with a form that the schema does not show, by field. */
const formed: Readonly<Record<string, () => string>> = {
  email: () => `${uniqueText()}@people.example`,
  reply_to: () => `${uniqueText()}@people.example`,
  url: () => `https://www.example.org/${uniqueText()}`,
  uri: () => `https://www.example.org/${uniqueText()}`,
  return_to: () => `https://www.example.org/${uniqueText()}`,
  origin: () => `https://${uniqueText()}.example`,
  origins: () => `https://${uniqueText()}.example`,
  hostname: () => `${uniqueText()}.example`,
  domain: () => `${uniqueText()}.example`,
  networks: () => `192.0.2.${++made % 250}`,
  color: () => '#3366ff',
  platform: () => 'ios',
  language: () => 'et',
  languages: () => 'et',
  locale: () => 'et',
  default_locale: () => 'et',
  fallback_locale: () => 'et',
  time_zone: () => 'Europe/Tallinn',
  fallback_time_zone: () => 'Europe/Tallinn',
  phone: () => `+372555${(++made).toString().padStart(4, '0')}`,
  sha256: () => 'ab'.repeat(32),
  checksum_sha256: () => 'ab'.repeat(32),
}

/**
 * Returns a valid value with every field. It differs from the default of the field, and from the value of the other
 * turn. Texts occur in no other value.
 */
export function sampleOf(given: Schema, resolve: Resolve, turn: number, name = ''): unknown {
  const schema = resolve(given) as Full
  const choices = (schema.anyOf ?? schema.oneOf)?.filter((one) => resolve(one).type !== 'null')
  if (choices?.[0]) return sampleOf(choices[0], resolve, turn, name)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return optionOf(schema, turn)
  switch ([schema.type].flat().find((type) => type !== 'null')) {
    case 'object':
      return objectOf(schema, resolve, turn)
    case 'array':
      return [sampleOf(schema.items ?? {}, resolve, turn, name)]
    case 'integer':
    case 'number':
      return numberOf(schema, turn)
    case 'boolean':
      return turn % 2 === 0 ? schema.default !== true : schema.default === true
    default:
      return textOf(schema, name)
  }
}

function optionOf({ enum: options = [], default: usual }: Full, turn: number): unknown {
  const others = options.filter((option) => option !== usual)
  return others[turn % others.length] ?? usual
}

function objectOf({ properties, additionalProperties }: Full, resolve: Resolve, turn: number): object {
  const fields = Object.entries(properties ?? {}).map(([name, one]) => [name, sampleOf(one, resolve, turn, name)])
  if (fields.length > 0 || typeof additionalProperties !== 'object') return Object.fromEntries(fields)
  return { [uniqueText()]: sampleOf(additionalProperties, resolve, turn) }
}

function numberOf({ minimum, exclusiveMinimum, maximum, default: usual }: Full, turn: number): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? 1 : exclusiveMinimum + 1)
  const wanted = (typeof usual === 'number' ? usual : least) + 1 + turn
  return maximum === undefined || wanted <= maximum ? wanted : maximum - turn
}

function textOf({ format, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Full, name: string): string {
  if (format === 'date-time') return new Date(Date.now() + 86_400_000 + ++made * 1_000).toISOString()
  if (format === 'date') return new Date(Date.now() - ++made * 86_400_000).toISOString().slice(0, 10)
  const form = formed[name] ?? (format === 'email' ? formed.email : format === 'uri' ? formed.url : undefined)
  return form ? form() : uniqueText().padEnd(minLength, 'x').slice(0, maxLength)
}

/** How a source of webhooks signs, and where its requests are forwarded. */
export const received = () => ({
  hmac: { header: `x-${uniqueText()}`, prefix: uniqueText(), event_id_path: uniqueText() },
  forward: { url: `https://www.example.org/${uniqueText()}`, group: uniqueText() },
})
