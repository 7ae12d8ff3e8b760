import { randomUUID } from 'node:crypto'
import { S3Error } from './errors.ts'
import { type Content, type Element, textOf } from './xml.ts'

/**
 * A lifecycle rule: objects expire some days after they were stored or on a date, and incomplete uploads are aborted.
 */
export interface Rule {
  readonly id: string
  readonly enabled: boolean
  readonly prefix: string
  /** `date` is in milliseconds since 1970. */
  readonly expiration: { readonly days: number } | { readonly date: number } | undefined
  readonly abortDays: number | undefined
}

const day = 24 * 3600 * 1000

/** Unsupported elements of S3, which must not be ignored. */
const unsupported = new Set(
  `And ExpiredObjectDeleteMarker NoncurrentVersionExpiration NoncurrentVersionTransition ObjectSizeGreaterThan
  ObjectSizeLessThan Tag Transition`.split(/\s+/),
)

/** Parses the rules of a LifecycleConfiguration. Throws if S3 would reject the rules, or if they are not supported. */
export function readRules(document: Element): Rule[] {
  knowOnly(document, ['Rule'])
  const rules = document.children.map(readRule)
  if (rules.length === 0 || rules.length > 1000)
    throw malformed('A lifecycle configuration must have 1 to 1,000 rules.')
  if (new Set(rules.map(({ id }) => id)).size < rules.length)
    throw new S3Error('InvalidArgument', 'Rule ID must be unique.')
  return rules
}

export function writeRules(rules: readonly Rule[]): Content {
  return {
    Rule: rules.map(({ id, enabled, prefix, expiration, abortDays }) => ({
      ID: id,
      Filter: { Prefix: prefix },
      Status: enabled ? 'Enabled' : 'Disabled',
      Expiration: expiration && ('days' in expiration ? { Days: expiration.days } : { Date: iso(expiration.date) }),
      AbortIncompleteMultipartUpload: abortDays && { DaysAfterInitiation: abortDays },
    })),
  }
}

/**
 * Returns the latest creation time (milliseconds since 1970) of objects that are `days` old at `now`. Days end at
 * midnight UTC.
 */
export function endOfDays(days: number, now: number): number {
  return Math.floor(now / day) * day - days * day
}

function readRule(rule: Element): Rule {
  knowOnly(rule, ['ID', 'Filter', 'Prefix', 'Status', 'Expiration', 'AbortIncompleteMultipartUpload'])
  const id = textOf(rule, 'ID', undefined) || randomUUID()
  if (id.length > 255) throw new S3Error('InvalidArgument', 'ID length should not exceed allowed limit of 255')
  const status = textOf(rule, 'Status').trim()
  if (status !== 'Enabled' && status !== 'Disabled')
    throw malformed('The Status of a rule must be Enabled or Disabled.')
  const expiration = readExpiration(child(rule, 'Expiration'))
  const abortDays = readAbort(child(rule, 'AbortIncompleteMultipartUpload'))
  if (!expiration && !abortDays)
    throw new S3Error('InvalidRequest', 'At least one action needs to be specified in a rule.')
  return { id, enabled: status === 'Enabled', prefix: readPrefix(rule), expiration, abortDays }
}

function readPrefix(rule: Element): string {
  const filter = child(rule, 'Filter')
  const plain = textOf(rule, 'Prefix', undefined)
  if (filter && plain !== undefined) throw malformed('A rule must have either a Filter or a Prefix.')
  if (!filter && plain === undefined) throw malformed('A rule must have a Filter or a Prefix.')
  if (filter) knowOnly(filter, ['Prefix'])
  return plain ?? (filter && textOf(filter, 'Prefix', undefined)) ?? ''
}

function readExpiration(expiration: Element | undefined): Rule['expiration'] {
  if (!expiration) return undefined
  knowOnly(expiration, ['Days', 'Date'])
  const [days, date] = [textOf(expiration, 'Days', undefined), textOf(expiration, 'Date', undefined)]
  if ((days === undefined) === (date === undefined)) throw malformed('An Expiration must have either Days or a Date.')
  if (days !== undefined) return { days: readDays(days) }
  const time = Date.parse(date ?? '')
  if (Number.isNaN(time)) throw malformed('The Date of an Expiration must be in ISO 8601.')
  if (time % day !== 0) throw new S3Error('InvalidArgument', "'Date' must be at midnight GMT")
  return { date: time }
}

function readAbort(abort: Element | undefined): number | undefined {
  if (!abort) return undefined
  knowOnly(abort, ['DaysAfterInitiation'])
  return readDays(textOf(abort, 'DaysAfterInitiation'))
}

function readDays(text: string): number {
  if (!/^\s*\d{1,9}\s*$/.test(text)) throw malformed('Days must be an integer.')
  if (Number(text) === 0) throw new S3Error('InvalidArgument', "'Days' must be a positive integer")
  return Number(text)
}

function child(element: Element, name: string): Element | undefined {
  return element.children.find((candidate) => candidate.name === name)
}

function knowOnly({ children }: Element, names: readonly string[]): void {
  for (const { name } of children) {
    if (unsupported.has(name))
      throw new S3Error('NotImplemented', `A request implies functionality that is not implemented: ${name}.`)
    if (!names.includes(name)) throw malformed(`${name} is not allowed here.`)
  }
}

const iso = (time: number) => new Date(time).toISOString()

const malformed = (why: string) => new S3Error('MalformedXML', `The XML you provided did not validate: ${why}`)
