import { SourceError } from '../../../sources/rules/source-error.ts'

export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new SourceError('The response of Safe Browsing is not valid JSON.')
  }
}
