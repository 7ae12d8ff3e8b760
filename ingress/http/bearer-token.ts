import { unauthorized } from '#lib/errors.ts'

/** Returns the token in `Authorization: Bearer …`. Throws 401 if there is none. `what`: kind of the token. */
export function readBearerToken(authorization: string | undefined, what: string): string {
  const [scheme = '', token = ''] = authorization?.split(' ') ?? []
  if (scheme.toLowerCase() !== 'bearer' || token === '' || token.length > 2_000)
    throw unauthorized(`A ${what} token is required: send \`Authorization: Bearer …\`.`)
  return token
}
