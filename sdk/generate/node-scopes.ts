import { scopes } from '../../tasks/account/rules/scopes.ts'

/** Returns the source file of the scopes that a key of a customer can have. */
export function renderNodeScopes(): string {
  const names = Object.keys(scopes).filter((name) => name !== 'operator')
  return `/** Scopes of API keys. */
export const scopes: readonly string[] = [
${names.map((name) => `  '${name}',\n`).join('')}]
`
}
